import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addCount } from '../base/key-counts.js';
import type { HttpRefusal } from './http-intake.js';

/** Bounds on the number of connections of one listener. */
export interface HttpLimits {
  /** Default 1,024. */
  readonly maxConnections: number;
  /** From one address. Default 512. */
  readonly maxConnectionsPerPeer: number;
}

/** The connections of an HTTP listener, and which of them have requests running. */
export interface ConnectionTable {
  /** Accepts a connection. If there are too many, closes another one or this one. */
  admit(socket: Socket): void;
  /** A request began on a connection. */
  began(request: IncomingMessage, response: ServerResponse): void;
  /** Closes connections without a running request, and the others when their requests are done. */
  drain(): void;
}

/** State of a connection. */
interface Activity {
  readonly peer: string;
  /** Running requests, including requests that are still being received. */
  running: number;
  /** The latest request. */
  last: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
}

/** Connections that are closed to make room for a new one, by priority. */
const EXPENDABLE: readonly ((activity: Activity) => boolean)[] = [
  ({ running }) => running === 0,
  // A client that is slow to send its request goes before one that waits for an answer.
  ({ running, last }) => running === 1 && last?.request.complete === false,
  // The next is a client that is slow to read its response.
  ({ last }) => last?.response.headersSent === true,
];

/**
 * Limits the connections of all peers and of one address. Beyond a limit, the table closes a connection without a
 * request; if there is none, one whose request is incomplete; if there is none, one whose response is being read. It
 * chooses the address with the most connections, and of that address the connection that has been in that state the
 * longest. If all connections wait for responses, the table closes the new one.
 *
 * The table counts requests itself. Node counts a connection that never sent a whole request as busy, and applies no
 * timeout to it after the server closes.
 */
export function createConnectionTable(limits: HttpLimits, onRefused: (refusal: HttpRefusal) => void): ConnectionTable {
  // In the order in which they arrived or finished their last request.
  const connections = new Map<Socket, Activity>();
  const perPeer = new Map<string, number>();
  let draining = false;

  const forget = (socket: Socket): void => {
    const activity = connections.get(socket);
    if (activity === undefined) return;
    connections.delete(socket);
    addCount(perPeer, activity.peer, -1);
  };

  /** @param ofPeer only connections of this address */
  const victimOf = (isExpendable: (activity: Activity) => boolean, ofPeer: string | undefined): Socket | undefined => {
    let victim: Socket | undefined;
    let most = 0;
    for (const [socket, activity] of connections) {
      if (ofPeer !== undefined && activity.peer !== ofPeer) continue;
      const count = perPeer.get(activity.peer) ?? 0;
      if (count <= most || !isExpendable(activity)) continue;
      victim = socket;
      most = count;
    }
    return victim;
  };

  const makeRoom = (reason: 'connections' | 'connections-per-peer', peer: string): boolean => {
    for (const isExpendable of EXPENDABLE) {
      const victim = victimOf(isExpendable, reason === 'connections' ? undefined : peer);
      if (victim === undefined) continue;
      onRefused({ peer: connections.get(victim)?.peer ?? '', reason });
      forget(victim);
      victim.destroy();
      return true;
    }
    onRefused({ peer, reason });
    return false;
  };

  const hasRoom = (peer: string): boolean => {
    const ofPeer = perPeer.get(peer) ?? 0;
    if (ofPeer >= limits.maxConnectionsPerPeer) return makeRoom('connections-per-peer', peer);
    return connections.size < limits.maxConnections || makeRoom('connections', peer);
  };

  return {
    admit: (socket) => {
      const peer = socket.remoteAddress ?? '';
      if (!hasRoom(peer)) {
        socket.destroy();
        return;
      }
      connections.set(socket, { peer, running: 0, last: undefined });
      addCount(perPeer, peer, 1);
      socket.once('close', () => forget(socket));
    },
    began: (request, response) => {
      const { socket } = request;
      const activity = connections.get(socket);
      if (activity === undefined) return;
      activity.running++;
      activity.last = { request, response };
      response.once('close', () => {
        activity.running--;
        // Moves the connection to the end of the order.
        if (!socket.destroyed && connections.delete(socket)) connections.set(socket, activity);
        if (activity.running === 0 && draining) socket.destroySoon();
      });
    },
    drain: () => {
      draining = true;
      for (const [socket, { running }] of connections) if (running === 0) socket.destroy();
    },
  };
}
