import type { Socket } from 'node:net';

/** The part of the process's clock that sockets need. */
export interface SocketClock {
  monotonicMs(): number;
  schedule(delayMs: number, callback: () => void): () => void;
}

export interface HandshakeLimits {
  /** From the connection to the end of its handshake, whatever the peer sends in between. */
  readonly timeoutMs: number;
  readonly maxPending: number;
}

/** Connections that have not shaken hands yet: so many, so long, and no more. */
export interface PendingHandshakes {
  /** False when there is no room: the socket is the caller's to end. */
  admit(socket: Socket): boolean;
  /** Its handshake is done. @param socket the admitted one, or one on top of it. False when it is not awaited. */
  done(socket: Socket): boolean;
}

/** Who has not got further in this time makes room for others when there is none. */
const STALE_MS = 1_000;

interface Pending {
  readonly socket: Socket;
  readonly sinceMs: number;
  readonly cancelTimeout: () => void;
}

/**
 * Bounds what peers can take that open connections and say nothing: each is cut off in time, and when all places are
 * taken, those that have waited long make room, while those that are being served keep theirs.
 *
 * @param cutOff called with a socket before it is ended
 */
export function createPendingHandshakes(
  { timeoutMs, maxPending }: HandshakeLimits,
  clock: SocketClock,
  cutOff: (socket: Socket, reason: string) => void,
): PendingHandshakes {
  // In the order of their arrival.
  const pending = new Map<string, Pending>();
  const remove = (key: string): boolean => {
    pending.get(key)?.cancelTimeout();
    return pending.delete(key);
  };
  const end = (key: string, reason: string): void => {
    const socket = pending.get(key)?.socket;
    remove(key);
    if (socket === undefined) return;
    cutOff(socket, reason);
    socket.destroy();
  };
  const hasRoom = (): boolean => {
    if (pending.size < maxPending) return true;
    const [oldest] = pending;
    if (oldest === undefined || clock.monotonicMs() - oldest[1].sinceMs < STALE_MS) return false;
    end(oldest[0], 'of too many connections that wait for their TLS handshake, it has waited longest');
    return true;
  };
  return {
    admit: (socket) => {
      if (!hasRoom()) return false;
      const key = keyOf(socket);
      const cancelTimeout = clock.schedule(timeoutMs, () => end(key, `no TLS handshake within ${timeoutMs / 1000}s`));
      pending.set(key, { socket, sinceMs: clock.monotonicMs(), cancelTimeout });
      socket.once('close', () => {
        if (pending.get(key)?.socket === socket) remove(key);
      });
      return true;
    },
    done: (socket) => remove(keyOf(socket)),
  };
}

/** Both ends: what a TLS socket has in common with the socket under it. */
function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress}|${remotePort}|${localAddress}|${localPort}`;
}
