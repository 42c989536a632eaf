import type { Socket } from 'node:net';
import { addressKey } from './guard/address-key.js';

/** The part of the clock that sockets need. */
export interface SocketClock {
  monotonicMs(): number;
  schedule(delayMs: number, callback: () => void): () => void;
}

export interface HandshakeLimits {
  /** From the start of the connection to the end of its handshake, however much the peer sends. */
  readonly timeoutMs: number;
  readonly maxPending: number;
}

/** Connections whose handshake is not complete, limited in number and time. */
export interface PendingHandshakes {
  /** Returns false if there is no room; then the caller closes the socket. */
  admit(socket: Socket): boolean;
  /**
   * The handshake is complete. Returns false if the connection is not pending.
   *
   * @param socket the admitted socket, or the TLS socket on top of it
   */
  done(socket: Socket): boolean;
}

/** A connection that has been pending for this time is closed to make room for others. */
const STALE_MS = 1_000;

interface Pending {
  readonly socket: Socket;
  readonly address: string;
  readonly sinceMs: number;
  readonly cancelTimeout: () => void;
}

/**
 * Limits connections that stay open without a handshake. Each is closed after the timeout. If all places are taken, the
 * oldest connection of the address with the most pending connections is closed, so other addresses always find a place.
 * A connection from that address itself gets a place only if another one has been pending for a while.
 *
 * @param cutOff called with a socket before it is closed
 */
export function createPendingHandshakes(
  { timeoutMs, maxPending }: HandshakeLimits,
  clock: SocketClock,
  cutOff: (socket: Socket, reason: string) => void,
): PendingHandshakes {
  // In the order of arrival.
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
  /**
   * The oldest connection of the address with the most connections, unless the newcomer's address would have as many.
   */
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
      end(greedy, 'too many connections wait for their TLS handshake, most of them from this address');
      return true;
    }
    const [oldest] = pending;
    if (oldest === undefined || clock.monotonicMs() - oldest[1].sinceMs < STALE_MS) return false;
    end(oldest[0], 'too many connections wait for their TLS handshake, and this one is the oldest');
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

/** The addresses of both ends, which a TLS socket shares with the socket below it. */
function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress}|${remotePort}|${localAddress}|${localPort}`;
}
