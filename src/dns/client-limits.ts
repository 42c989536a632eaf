import type { Clock } from '../base/clock.js';
import { type LineLimit, MAX_CLIENT_WAITING, MAX_WAITING } from './listen/datagram-line.js';

/** Limits of clients, by address. */
export interface DnsLimits {
  /** Answers of one client in a second. */
  readonly clientAnswersPerSecond: number;
  /** Answers of all clients in a second. */
  readonly answersPerSecond: number;
  /** Queries that wait for an upstream server. One client has at most half of them. */
  readonly maxQueries: number;
  /** TCP connections. One client has at most half of them. */
  readonly maxConnections: number;
}

/** Bytes of all connections, or of those of one client. */
export type BytesLimit = 'bytes' | 'client-bytes';

/** A limit that a client reached. */
export interface ReachedLimit {
  readonly client: string;
  readonly limit:
    | LineLimit
    | BytesLimit
    | 'client-rate'
    | 'rate'
    | 'queries'
    | 'client-queries'
    | 'connections'
    | 'client-connections';
  /** The variable that changes the limit; absent for those that are fixed. */
  readonly setting?: string;
  readonly value: number;
}

/** Counts what clients do. */
export interface ClientLimits {
  /** Whether an answer is within the rates. */
  takeAnswer(client: string): boolean;
  /** Datagrams found no place among those that wait to be answered. */
  dropped(client: string, limit: LineLimit, count: number): void;
  /** A connection was closed because of its bytes. */
  closedFor(client: string, limit: BytesLimit, value: number): void;
  /** Whether a query may wait for an upstream server; `release` ends it. */
  takeQuery(client: string): boolean;
  releaseQuery(client: string): void;
  takeConnection(client: string): boolean;
  releaseConnection(client: string): void;
}

const WINDOW_MS = 1000;
/** Clients with a count of their own in a second. Further ones share a count, as a flood of invented addresses does. */
const MAX_CLIENTS = 65_536;
const OTHERS = '';
/** Of the answers to all clients, a tenth is for clients that have had less than a thousandth in this second. */
const RESERVED = 0.1;
const LIGHT = 0.001;

export function createClientLimits(
  limits: DnsLimits,
  onReached: (reached: ReachedLimit, times?: number) => void,
  clock: Clock,
): ClientLimits {
  const answers = new Map<string, number>();
  let untilMs = Number.NEGATIVE_INFINITY;
  let inAll = 0;
  const light = Math.ceil(limits.answersPerSecond * LIGHT);
  const open = limits.answersPerSecond - Math.floor(limits.answersPerSecond * RESERVED);
  const queries = createShares(limits.maxQueries);
  const connections = createShares(limits.maxConnections);

  const share = (
    shares: Shares,
    names: readonly [all: ReachedLimit['limit'], client: ReachedLimit['limit']],
    setting: string,
    max: number,
    client: string,
  ): boolean => {
    const result = shares.take(client);
    if (result === 'taken') return true;
    onReached({ client, limit: names[result === 'full' ? 0 : 1], setting, value: max });
    return false;
  };

  return {
    takeAnswer: (client) => {
      const nowMs = clock.monotonicMs();
      if (nowMs >= untilMs) {
        untilMs = nowMs + WINDOW_MS;
        inAll = 0;
        answers.clear();
      }
      const key = answers.size < MAX_CLIENTS || answers.has(client) ? client : OTHERS;
      const count = answers.get(key) ?? 0;
      if (inAll >= (count < light ? limits.answersPerSecond : open)) {
        onReached({ client, limit: 'rate', setting: 'NAV_DNS_ANSWERS_PER_SECOND', value: limits.answersPerSecond });
        return false;
      }
      if (count >= limits.clientAnswersPerSecond) {
        const setting = 'NAV_DNS_CLIENT_ANSWERS_PER_SECOND';
        onReached({ client, limit: 'client-rate', setting, value: limits.clientAnswersPerSecond });
        return false;
      }
      answers.set(key, count + 1);
      inAll++;
      return true;
    },
    dropped: (client, limit, count) =>
      onReached({ client, limit, value: limit === 'waiting' ? MAX_WAITING : MAX_CLIENT_WAITING }, count),
    closedFor: (client, limit, value) => onReached({ client, limit, value }),
    takeQuery: (client) =>
      share(queries, ['queries', 'client-queries'], 'NAV_DNS_MAX_QUERIES', limits.maxQueries, client),
    releaseQuery: (client) => queries.release(client),
    takeConnection: (client) =>
      share(
        connections,
        ['connections', 'client-connections'],
        'NAV_DNS_MAX_CONNECTIONS',
        limits.maxConnections,
        client,
      ),
    releaseConnection: (client) => connections.release(client),
  };
}

interface Shares {
  take(client: string): 'taken' | 'full' | 'share';
  release(client: string): void;
}

/** Places for all clients, of which one client has at most half. */
function createShares(max: number): Shares {
  const taken = new Map<string, number>();
  const perClient = Math.max(1, Math.ceil(max / 2));
  let total = 0;
  return {
    take: (client) => {
      const own = taken.get(client) ?? 0;
      if (total >= max) return 'full';
      if (own >= perClient) return 'share';
      taken.set(client, own + 1);
      total++;
      return 'taken';
    },
    release: (client) => {
      const own = taken.get(client) ?? 0;
      if (own <= 1) taken.delete(client);
      else taken.set(client, own - 1);
      total--;
    },
  };
}
