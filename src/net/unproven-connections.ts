import type { Socket } from 'node:net';
import type { SocketClock } from './pending-handshakes.js';

/** Connections on which nobody has proven yet who calls. */
export interface UnprovenConnections {
  opened(socket: Socket): void;
  /** @param peer address and port, as grpc-js names the peer of a call */
  proven(peer: string): void;
  /** Ends the connection, unless who calls was proven on it. */
  cutOff(peer: string): void;
}

/** A judgement takes seconds at most. */
const LIMIT_MS = 60_000;

/**
 * Ends connections on which nobody proves in time who they are: services that answer everybody, such as that of health,
 * have calls that last, and a call keeps its connection from being idle.
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
