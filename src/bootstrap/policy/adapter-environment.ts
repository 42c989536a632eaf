import { randomBytes } from 'node:crypto';
import { createBackgroundLane } from '../../base/background-lane.js';
import type { Clock } from '../../base/clock.js';
import { createConcurrencyLimiter } from '../../base/concurrency-limiter.js';
import { createAuthorizationJudge } from '../../generators/authorization/authorization-judge.js';
import { createEgressRules } from '../../net/egress/egress-rules.js';
import { createGuardedConnect } from '../../net/egress/guarded-connect.js';
import { createGuardedFetch } from '../../net/egress/guarded-fetch.js';
import { createGuardedSender } from '../../net/egress/guarded-sender.js';
import { createNamedStoreOpener } from '../../policy/quota/open-named-store.js';
import type { AdapterEnvironment } from '../../policy/rules/adapters/adapter.js';
import { createSeriesRegistry, type SeriesRegistry } from '../../policy/rules/adapters/series/series-registry.js';
import { createReportBudget } from '../../policy/rules/reports/report-budget.js';
import { openLogTarget } from '../../telemetry/log-sink.js';
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
/** The same for messages to collectors. */
const POSTS = { maxConcurrent: 64, maxConcurrentPerKey: 16, maxWaiting: 10_000, maxWaitMs: 10_000 };
/** Bytes of records that wait for all collectors. */
const RECORD_BYTES = 32 * 1024 * 1024;
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
  const output = { stdout: openLogTarget('stdout'), stderr: openLogTarget('stderr') };
  const posts = createConcurrencyLimiter(POSTS, clock);
  return {
    clock,
    random: Math.random,
    // Like the log, without a buffer that a slow reader would let grow.
    writeLine: (stream, line) => output[stream].write(`${line}\n`),
    openStore: createNamedStoreOpener({ clock, logger, connect: createGuardedConnect({ rules }) }),
    fetchText: (url, owner) =>
      fetches.run(namespaceOf(owner), () => outgoing.run('handler', url, () => fetchDocument(url))),
    openSender: (owner) => {
      const { post, close } = createGuardedSender(rules);
      return {
        post: (message) => posts.run(namespaceOf(owner), () => outgoing.run('handler', message, () => post(message))),
        close,
      };
    },
    budget: createReportBudget(RECORD_BYTES),
    reports: {
      sent: (handler, count) => metrics.increment('policy_adapter_reports_sent_total', { handler }, count),
      lost: (handler, count) => metrics.increment('policy_adapter_reports_lost_total', { handler }, count),
    },
    randomId: (bytes) => randomBytes(bytes).toString('hex'),
    background: createBackgroundLane(clock, BACKGROUND_SHARE),
    series: createSeriesRegistry({
      nowMs: clock.monotonicMs,
      isTaken: isFamilyName,
      onRefused: (handler) => metrics.increment('policy_adapter_series_refused_total', { handler }),
    }),
    judgeBy: createAuthorizationJudge,
    buildOwn,
  };
}

/** Of `handler/<namespace>/<name>`. */
function namespaceOf(owner: string): string {
  return owner.split('/')[1] ?? '';
}
