import { createBackgroundLane } from '../../base/background-lane.js';
import type { Clock } from '../../base/clock.js';
import { createConcurrencyLimiter } from '../../base/concurrency-limiter.js';
import { createEgressRules } from '../../net/egress/egress-rules.js';
import { createGuardedConnect } from '../../net/egress/guarded-connect.js';
import { createGuardedFetch } from '../../net/egress/guarded-fetch.js';
import { createNamedStoreOpener } from '../../policy/quota/open-named-store.js';
import type { AdapterEnvironment } from '../../policy/rules/adapters/adapter.js';
import { createSeriesRegistry, type SeriesRegistry } from '../../policy/rules/adapters/series/series-registry.js';
import type { Logger } from '../../telemetry/logger.js';
import { isFamilyName } from '../../telemetry/metric-families.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';

export interface AdapterEnvironmentParts {
  /** NAV_EGRESS_ALLOWED */
  readonly egressAllowed: readonly string[];
  readonly outgoing: OutgoingCalls;
  readonly metrics: Pick<Metrics, 'increment'>;
  readonly clock: Clock;
  /** Of scope `policy`. */
  readonly logger: Logger;
  /** Of `createOwnAdapters`. */
  readonly buildOwn: AdapterEnvironment['buildOwn'];
}

/** Fetches at the same time, of all namespaces and of one: a slow server delays its own namespace only. */
const FETCHES = { maxConcurrent: 16, maxConcurrentPerKey: 4, maxWaiting: 10_000, maxWaitMs: 60_000 };
/** Share of the time that is spent on computations of handlers beside requests. */
const BACKGROUND_SHARE = 0.1;

/** The same, with what the process shows of the handlers. */
export interface ProcessEnvironment extends AdapterEnvironment {
  readonly series: SeriesRegistry;
}

/** What the adapters of handlers get of this process. Handlers are of tenants: the egress rules apply to what they name. */
export function createAdapterEnvironment(parts: AdapterEnvironmentParts): ProcessEnvironment {
  const { egressAllowed, outgoing, metrics, clock, logger, buildOwn } = parts;
  const rules = createEgressRules(egressAllowed);
  const fetchDocument = createGuardedFetch({ rules, allowsHttp: true, accept: 'text/plain, application/yaml, */*' });
  const fetches = createConcurrencyLimiter(FETCHES, clock);
  return {
    clock,
    random: Math.random,
    writeLine: (stream, line) => void process[stream].write(`${line}\n`),
    openStore: createNamedStoreOpener({ clock, logger, connect: createGuardedConnect({ rules }) }),
    fetchText: (url, owner) =>
      fetches.run(owner.split('/')[1] ?? '', () => outgoing.run('handler', url, () => fetchDocument(url))),
    background: createBackgroundLane(clock, BACKGROUND_SHARE),
    series: createSeriesRegistry({
      nowMs: clock.monotonicMs,
      isTaken: isFamilyName,
      onRefused: (handler) => metrics.increment('policy_adapter_series_refused_total', { handler }),
    }),
    buildOwn,
  };
}
