import type { Socket } from 'node:net';
import { addressKey } from './guard/address-key.js';

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
  readonly address: string;
  readonly sinceMs: number;
  readonly cancelTimeout: () => void;
}

/**
 * Bounds what peers can take that open connections and say nothing. Each is cut off in time. When all places are taken,
 * the address with the most of them loses its oldest, so that other addresses always find a place; an address that has
 * the most itself finds one only where a connection has waited long.
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
  const counts = new Map<string, number>();
  const count = (address: string, change: number): void => {
    const next = (counts.get(address) ?? 0) + change;
    if (next > 0) counts.set(address, next);
    else counts.delete(address);
  };
  const remove = (key: string): boolean => {
    const known = pending.get(key);
    if (known === undefined) return false;
    known.cancelTimeout();
    count(known.address, -1);
    return pending.delete(key);
  };
  const end = (key: string, reason: string): void => {
    const socket = pending.get(key)?.socket;
    remove(key);
    if (socket === undefined) return;
    cutOff(socket, reason);
    socket.destroy();
  };
  /** The oldest connection of the address that has the most, if that is more than the newcomer's address would have. */
  const oldestOfGreatest = (newcomer: string): string | undefined => {
    let greatest = newcomer;
    let most = (counts.get(newcomer) ?? 0) + 1;
    for (const [address, held] of counts) {
      if (held > most) [greatest, most] = [address, held];
    }
    if (greatest === newcomer) return undefined;
    for (const [key, { address }] of pending) if (address === greatest) return key;
    return undefined;
  };
  const hasRoom = (address: string): boolean => {
    if (pending.size < maxPending) return true;
    const greedy = oldestOfGreatest(address);
    if (greedy !== undefined) {
      end(greedy, 'its address has most of the connections that wait for their TLS handshake');
      return true;
    }
    const [oldest] = pending;
    if (oldest === undefined || clock.monotonicMs() - oldest[1].sinceMs < STALE_MS) return false;
    end(oldest[0], 'of too many connections that wait for their TLS handshake, it has waited longest');
    return true;
  };
  return {
    admit: (socket) => {
      const address = addressKey(socket.remoteAddress);
      if (!hasRoom(address)) return false;
      const key = keyOf(socket);
      const cancelTimeout = clock.schedule(timeoutMs, () => end(key, `no TLS handshake within ${timeoutMs / 1000}s`));
      remove(key);
      pending.set(key, { socket, address, sinceMs: clock.monotonicMs(), cancelTimeout });
      count(address, 1);
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
