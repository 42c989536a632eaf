import type { Socket } from 'node:net';
import type { SocketClock } from '../pending-handshakes.js';
import { addressKey } from './address-key.js';
import type { AddressShares } from './address-shares.js';
import type { BudgetHolder } from './shared-budget.js';
import type { Waiting } from './waiting-line.js';

/** A connection that waits until it may be read, or has just begun to be read. */
export class Arrival implements BudgetHolder {
  readonly group: string;
  /** Address and port. */
  readonly peer: string;

  constructor(socket: Socket) {
    this.group = addressKey(socket.remoteAddress);
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`;
  }
}

/** Accepts no more connections of an address than there is room for their first bytes. */
export interface ArrivingConnections {
  /** @param take gets the connection, at once or at its turn. Nothing has been read from it */
  arrive(socket: Socket, take: () => void): void;
  /** The first stream of a connection is counted by its own bytes. @param peer address and port */
  hasStream(peer: string): void;
}

export interface ArrivingConnectionsOptions {
  readonly shares: Pick<AddressShares<Arrival>, 'set' | 'leave' | 'waitForConnection' | 'waitingConnections'>;
  readonly clock: SocketClock;
  /** Bytes of one address. */
  readonly maxBytes: number;
  /** Connections of one address that wait. */
  readonly maxWaiting: number;
  /** A connection is closed because too many wait. */
  onClosed(arrival: Arrival): void;
}

/** What a connection can send before its peer needs permission: one stream's window, and the memory of the stream. */
const FIRST_BYTES = 72 * 1024;
/** A connection that sends no stream within this time frees its bytes for others. */
const SILENT_MS = 250;

export function createArrivingConnections(options: ArrivingConnectionsOptions): ArrivingConnections {
  const { shares, clock, maxBytes, maxWaiting, onClosed } = options;
  const amount = Math.min(FIRST_BYTES, Math.floor(maxBytes / 2));
  /** By peer, in the order in which they began. */
  const begun = new Map<string, { readonly arrival: Arrival; readonly sinceMs: number }>();
  let isLooking = false;

  const end = (peer: string): void => {
    const known = begun.get(peer);
    if (known === undefined) return;
    begun.delete(peer);
    shares.set(known.arrival, 0);
  };
  const look = (): void => {
    const beforeMs = clock.monotonicMs() - SILENT_MS;
    for (const [peer, { sinceMs }] of begun) {
      if (sinceMs > beforeMs) break;
      end(peer);
    }
    isLooking = begun.size > 0;
    if (isLooking) clock.schedule(SILENT_MS, look);
  };
  const begin = (arrival: Arrival): void => {
    shares.set(arrival, amount);
    begun.set(arrival.peer, { arrival, sinceMs: clock.monotonicMs() });
    if (isLooking) return;
    isLooking = true;
    clock.schedule(SILENT_MS, look);
  };

  return {
    arrive: (socket, take) => {
      const arrival = new Arrival(socket);
      const waiting: Waiting = {
        ...{ group: arrival.group, peer: arrival.peer, amount },
        begin: () => {
          begin(arrival);
          take();
        },
      };
      socket.once('close', () => {
        shares.leave(waiting);
        end(arrival.peer);
      });
      if (shares.waitingConnections(arrival.group) >= maxWaiting) {
        onClosed(arrival);
        socket.destroy();
        return;
      }
      shares.waitForConnection(waiting);
    },
    hasStream: end,
  };
}
