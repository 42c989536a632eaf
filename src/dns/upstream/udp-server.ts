import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Clock } from '../../base/clock.js';
import { formatListenAddress, type ListenAddress } from '../../net/listen-address.js';
import { readUpstreamResponse, type UpstreamResponse } from '../upstream-response.js';
import { endLoopOf, type Outstanding, UpstreamError, type UpstreamServer } from './exchange.js';

const IDS = 0x1_00_00;
/** Queries that wait at the same time with a socket each. Further ones share the connection over TCP. */
const MAX_SOCKETS = 4_000;
/** Wrong responses after which a query is asked again over TCP, because a sender guesses ids. */
const MAX_FORGED = 10;

/**
 * An upstream server over UDP. Each query has a socket of its own, with a port that the system chooses at random, and a
 * random id. The system drops datagrams from other addresses.
 *
 * @param overTcp the same server, for truncated responses, for queries that get forged ones, and beyond `maxSockets`
 */
export function createUdpServer(
  address: ListenAddress,
  overTcp: UpstreamServer,
  clock: Clock,
  maxSockets = MAX_SOCKETS,
): UpstreamServer {
  const outstanding = new Map<number, Outstanding>();

  const overUdp = (message: Buffer, question: Buffer, timeoutMs: number): Promise<UpstreamResponse> => {
    const id = freeId(outstanding);
    return new Promise((resolve, reject) => {
      const socket = createSocket(isIPv6(address.host) ? 'udp6' : 'udp4');
      let forged = 0;
      const end = (): void => {
        cancel();
        outstanding.delete(id);
        socket.close();
      };
      const fail = (error: UpstreamError): void => {
        if (outstanding.get(id) !== exchange) return;
        end();
        reject(error);
      };
      const exchange: Outstanding = {
        question,
        get port() {
          return portOf(socket);
        },
        fail,
      };
      outstanding.set(id, exchange);
      const cancel = clock.schedule(timeoutMs, () =>
        fail(new UpstreamError('timeout', `no response within ${timeoutMs / 1000} s`)),
      );
      const failed = (cause: Error | null): void => {
        if (cause !== null) fail(new UpstreamError('connection', cause.message, { cause }));
      };
      socket.on('error', failed);
      socket.on('message', (bytes) => {
        if (outstanding.get(id) !== exchange) return;
        const response = readUpstreamResponse(bytes, id, question);
        if (response !== undefined) {
          end();
          resolve(response);
        } else if (++forged >= MAX_FORGED) {
          fail(new UpstreamError('forged', `${MAX_FORGED} responses did not belong to the query`));
        }
      });
      socket.connect(address.port, address.host, () => {
        if (outstanding.get(id) !== exchange) return;
        const bytes = Buffer.from(message);
        bytes.writeUInt16BE(id, 0);
        socket.send(bytes, failed);
      });
    });
  };

  return {
    name: formatListenAddress(address),
    exchange: async (query, timeoutMs) => {
      if (outstanding.size >= maxSockets) return overTcp.exchange(query, timeoutMs);
      const startMs = clock.monotonicMs();
      try {
        const response = await overUdp(query.message, query.question, timeoutMs);
        if (!response.isTruncated) return response;
      } catch (error) {
        if (!(error instanceof UpstreamError) || error.problem !== 'forged') throw error;
      }
      return overTcp.exchange(query, Math.max(1, timeoutMs - (clock.monotonicMs() - startMs)));
    },
    endLoop: (id, question, port) =>
      endLoopOf(outstanding.get(id), question, port) || overTcp.endLoop(id, question, port),
    stop: () => {
      for (const { fail } of [...outstanding.values()]) fail(new UpstreamError('connection', 'the server stops'));
      overTcp.stop();
    },
  };
}

/** A random id that no other query has at the moment. */
export function freeId(taken: ReadonlyMap<number, unknown>): number {
  let id = randomInt(IDS);
  while (taken.has(id) && taken.size < IDS) id = (id + 1) % IDS;
  return id;
}

function portOf(socket: ReturnType<typeof createSocket>): number | undefined {
  try {
    return socket.address().port;
  } catch {
    // It is not bound yet.
    return undefined;
  }
}
