import type { Clock } from '../../base/clock.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { SubjectLog } from '../../telemetry/subject-log.js';
import type { UpstreamResponse } from '../upstream-response.js';
import { UpstreamError, type UpstreamQuery, type UpstreamServer } from './exchange.js';

export interface ForwarderParts {
  /** In the order of preference, at the time of the call. */
  readonly servers: () => readonly UpstreamServer[];
  /** Time for all attempts of a query together. */
  readonly timeoutMs: number;
  readonly metrics: Metrics;
  readonly log: SubjectLog;
  readonly clock: Clock;
}

/** Asks upstream servers. */
export interface Forwarder {
  /**
   * The first usable response of a server. Equal questions at the same time are asked once.
   *
   * @param key equal for queries with equal responses
   * @returns undefined if no server answered
   */
  ask(key: string, query: UpstreamQuery): Promise<UpstreamResponse | undefined>;
  /** Different queries that wait for a response. */
  readonly waiting: number;
}

/** Time after a failure in which a server is asked last. */
const AVOID_MS = 10_000;
/** How often each server is asked. */
const ROUNDS = 2;
const SERVER_FAILURE = 2;
const REFUSED = 5;

export function createForwarder({ servers, timeoutMs, metrics, log, clock }: ForwarderParts): Forwarder {
  const waiting = new Map<string, Promise<UpstreamResponse | undefined>>();
  const avoidedUntilMs = new WeakMap<UpstreamServer, number>();

  const failed = (server: UpstreamServer, error: unknown): void => {
    const problem = error instanceof UpstreamError ? error.problem : 'connection';
    avoidedUntilMs.set(server, clock.monotonicMs() + AVOID_MS);
    metrics.increment('nav_dns_upstream_failures_total', { reason: problem });
    log.warn(`${server.name} ${problem}`, { server: server.name, err: error }, 'upstream DNS server gives no answer');
  };

  const askInTurn = async (query: UpstreamQuery): Promise<UpstreamResponse | undefined> => {
    const startMs = clock.monotonicMs();
    const isAvoided = (server: UpstreamServer) => (avoidedUntilMs.get(server) ?? 0) > startMs;
    const all = servers();
    const order = [...all.filter((each) => !isAvoided(each)), ...all.filter(isAvoided)];
    const attemptMs = timeoutMs / Math.max(1, order.length * ROUNDS);
    let lastFailure: UpstreamResponse | undefined;
    for (const server of [...order, ...order]) {
      const leftMs = timeoutMs - (clock.monotonicMs() - startMs);
      if (leftMs <= 0) break;
      try {
        const response = await server.exchange(query, Math.min(leftMs, Math.max(attemptMs, 1)));
        if (response.rcode !== SERVER_FAILURE && response.rcode !== REFUSED) return response;
        // Another server may know the answer. This one is not asked again.
        lastFailure = response;
        if (order.length === 1) break;
      } catch (error) {
        failed(server, error);
        // A loop does not end by itself, and each further query would come back again.
        if (error instanceof UpstreamError && error.problem === 'loop') break;
      }
    }
    return lastFailure;
  };

  return {
    ask: (key, query) => {
      const known = waiting.get(key);
      if (known !== undefined) return known;
      const startMs = clock.monotonicMs();
      const asked = askInTurn(query).finally(() => {
        waiting.delete(key);
        metrics.observe('nav_dns_upstream_seconds', (clock.monotonicMs() - startMs) / 1000);
      });
      waiting.set(key, asked);
      return asked;
    },
    get waiting() {
      return waiting.size;
    },
  };
}
