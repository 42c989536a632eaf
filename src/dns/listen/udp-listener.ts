import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Clock } from '../../base/clock.js';
import { clientAddressOf } from '../client-address.js';
import type { ClientLimits } from '../client-limits.js';
import { mayBeQuery } from '../query.js';
import type { DnsResolver } from '../resolver.js';
import { createDatagramLine, type Datagram, type LineLimit } from './datagram-line.js';

/** Answers datagrams. */
export interface UdpListener {
  /** @returns the port, even if the system chose it. @throws the error of the system */
  listen(host: string, port: number): Promise<number>;
  close(): Promise<void>;
}

/** Room for the queries that arrive while other work runs. */
const RECEIVE_BYTES = 4 << 20;
/** Answers that the system has not taken. Beyond it they are dropped, and clients ask again. */
const MAX_UNSENT_BYTES = 8 << 20;
/** Datagrams that libuv reads in a turn of the event loop when the system has more. */
const FULL_READ = 32;
/** Full reads in a row that are a flood: hundreds of datagrams wait in the buffer of the system. */
const FLOOD_READS = 8;
/**
 * Answers of a turn in a flood, of different clients. Reading goes before answers: when the buffer of the system is full,
 * it drops datagrams of users too.
 */
const ANSWERS_IN_FLOOD = 8;
/** Time for these answers: a query for an upstream server takes several times as long as one of the mesh. */
const FLOOD_TURN_MS = 0.25;
/** Otherwise, the time for answers of a turn, after which the process does other work. */
const TURN_MS = 4;

/** Datagrams that a turn dropped. They are recorded together, with the last client, because recording takes as long as reading. */
interface Dropped {
  readonly client: string;
  readonly limit: LineLimit;
  readonly count: number;
}

/** @param limits told of datagrams that find no place in the line */
export function createUdpListener(
  resolver: DnsResolver,
  limits: Pick<ClientLimits, 'dropped'>,
  clock: Clock,
): UdpListener {
  let socket: Socket | undefined;

  const open = (type: 'udp4' | 'udp6', host: string, port: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      // Answers go to addresses, never to names.
      const opened = createSocket({
        type,
        lookup: (address, _, found) => found(null, address, type === 'udp4' ? 4 : 6),
      });
      opened.once('error', (error) => {
        opened.close();
        reject(error);
      });
      opened.bind({ port, ...(host === '' ? {} : { address: host }) }, () => {
        opened.removeAllListeners('error');
        // An answer that cannot be sent is lost as a datagram in the network is.
        opened.on('error', () => undefined);
        resolve(opened);
      });
    });

  const serve = (opened: Socket): void => {
    const line = createDatagramLine();
    let read = 0;
    let fullReads = 0;
    let isTurnDue = false;
    let dropped: Dropped | undefined;

    const send = (bytes: Buffer | undefined, { port, address }: RemoteInfo): void => {
      if (bytes === undefined || socket !== opened || opened.getSendQueueSize() > MAX_UNSENT_BYTES) return;
      opened.send(bytes, port, address);
    };
    const answer = ({ bytes, from, remote }: Datagram): void => {
      const answered = resolver.answer({ bytes, transport: 'udp', from, port: remote.port });
      if (answered instanceof Promise) answered.then((make) => send(make(), remote)).catch(() => undefined);
      else send(answered, remote);
    };
    const takeTurn = (): void => {
      fullReads = read >= FULL_READ ? fullReads + 1 : 0;
      const isFlood = fullReads >= FLOOD_READS;
      let left = isFlood ? Math.min(line.clients, ANSWERS_IN_FLOOD) : line.size;
      const endMs = clock.monotonicMs() + (isFlood ? FLOOD_TURN_MS : TURN_MS);
      read = 0;
      for (let datagram = line.next(); datagram !== undefined; datagram = line.next()) {
        answer(datagram);
        if (--left <= 0 || clock.monotonicMs() >= endMs) break;
      }
      if (dropped !== undefined) limits.dropped(dropped.client, dropped.limit, dropped.count);
      dropped = undefined;
      isTurnDue = line.size > 0 && socket === opened;
      if (isTurnDue) setImmediate(takeTurn);
    };
    opened.on('message', (bytes, remote) => {
      read++;
      // No client has the port 0, and no answer can be sent to it.
      if (remote.port === 0 || !mayBeQuery(bytes)) return;
      const from = clientAddressOf(remote.address);
      const limit = line.enter({ bytes, from, remote });
      if (limit !== undefined) dropped = { client: from.client, limit, count: (dropped?.count ?? 0) + 1 };
      if (isTurnDue) return;
      isTurnDue = true;
      setImmediate(takeTurn);
    });
  };

  return {
    listen: async (host, port) => {
      const opened =
        host === ''
          ? // A machine without IPv6 has no such sockets.
            await open('udp6', host, port).catch((error: NodeJS.ErrnoException) =>
              error.code === 'EAFNOSUPPORT' || error.code === 'EADDRNOTAVAIL'
                ? open('udp4', host, port)
                : Promise.reject(error),
            )
          : await open(isIPv6(host) ? 'udp6' : 'udp4', host, port);
      socket = opened;
      try {
        opened.setRecvBufferSize(RECEIVE_BYTES);
      } catch {
        // The system's limit is smaller; its default stays.
      }
      serve(opened);
      return opened.address().port;
    },
    close: () =>
      new Promise((resolve) => {
        const closing = socket;
        socket = undefined;
        if (closing === undefined) resolve();
        else closing.close(() => resolve());
      }),
  };
}
