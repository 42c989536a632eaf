import type { Socket } from 'node:net';
import type { SocketClock } from './pending-handshakes.js';

/** Connections whose callers are not authenticated yet. */
export interface UnprovenConnections {
  opened(socket: Socket): void;
  /** @param peer address and port, as grpc-js names the peer of a call */
  proven(peer: string): void;
  /** Closes the connection unless a caller was authenticated on it. */
  cutOff(peer: string): void;
}

/** Authentication takes a few seconds at most. */
const LIMIT_MS = 60_000;

/**
 * Closes connections whose callers do not authenticate in time. Some services answer every caller, such as health;
 * their calls can last, and a connection with a call is never idle.
 */
export function createUnprovenConnections(clock: SocketClock, limitMs = LIMIT_MS): UnprovenConnections {
  const open = new Map<string, { readonly socket: Socket; readonly cancel: () => void }>();
  const forget = (peer: string): void => {
    open.get(peer)?.cancel();
    open.delete(peer);
  };
  return {
    opened: (socket) => {
      const peer = `${socket.remoteAddress}:${socket.remotePort}`;
      forget(peer);
      const cancel = clock.schedule(limitMs, () => socket.destroy());
      open.set(peer, { socket, cancel });
      socket.once('close', () => {
        if (open.get(peer)?.socket === socket) forget(peer);
      });
    },
    proven: forget,
    cutOff: (peer) => open.get(peer)?.socket.destroy(),
  };
}
