import type { RemoteInfo } from 'node:dgram';
import type { ClientAddress } from '../client-address.js';
import { createClientQueues } from './client-queues.js';

/** A datagram that waits for its turn. */
export interface Datagram {
  readonly bytes: Buffer;
  readonly from: ClientAddress;
  /** The sender, as the system names it. */
  readonly remote: RemoteInfo;
}

/** Why a datagram gets no place: all places are taken, or those of its client. */
export type LineLimit = 'waiting' | 'client-waiting';

/** Datagrams that wait for their answers. */
export interface DatagramLine {
  /** @returns undefined if the datagram waits now */
  enter(datagram: Datagram): LineLimit | undefined;
  next(): Datagram | undefined;
  readonly size: number;
  /** Clients with waiting datagrams. */
  readonly clients: number;
}

/** Places of all clients. */
export const MAX_WAITING = 4_096;
/** Places of one client, which may be the DNS cache of a node. */
export const MAX_CLIENT_WAITING = 512;
/** A stub resolver asks for two types of a name at once. */
const FEW = 4;

/**
 * @param maxWaiting half of these places are for the first few datagrams of each client
 * @param maxPerClient places of one client
 */
export function createDatagramLine(maxWaiting = MAX_WAITING, maxPerClient = MAX_CLIENT_WAITING): DatagramLine {
  const queues = createClientQueues<Datagram>();
  return {
    enter: (datagram) => {
      const { client } = datagram.from;
      const own = queues.sizeOf(client);
      if (own >= maxPerClient) return 'client-waiting';
      if (queues.size >= (own < FEW ? maxWaiting : maxWaiting / 2)) return 'waiting';
      queues.push(client, datagram);
      return undefined;
    },
    next: queues.next,
    get size() {
      return queues.size;
    },
    get clients() {
      return queues.clients;
    },
  };
}
