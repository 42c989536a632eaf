import type { Clock } from '../base/clock.js';
import type { Distributor } from '../push/distributor.js';
import { createPendingPodRecorder } from '../push/record-pending-pods.js';
import type { Logging } from '../telemetry/logging.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { ChangeTracer } from '../tracing/change-tracer.js';
import { createAuthorizationLog } from './authorization-log.js';
import { createCacheLog } from './cache-log.js';
import type { QuotaShapesWatch } from './policy/quota-shapes-watch.js';
import type { ProxyObservers, SnapshotObserver } from './proxy-serving.js';
import { createSnapshotLog } from './snapshot-log.js';
import type { StatusRuntime } from './status/create-status.js';

/** The parts that follow snapshots and the sessions of proxies, and the parts that their logs and metrics need. */
export interface ObservingParts {
  readonly policy: SnapshotObserver;
  readonly keySets: SnapshotObserver;
  readonly apiKeys: SnapshotObserver;
  readonly analysis: SnapshotObserver;
  readonly webhooks: SnapshotObserver;
  readonly dns: SnapshotObserver;
  readonly shapes: QuotaShapesWatch;
  /** Undefined where no statuses are written. */
  readonly status: Pick<StatusRuntime, 'connectionsChanged'> | undefined;
  readonly apiStatuses: readonly SnapshotObserver[];
  /** Undefined without a collector of traces. */
  readonly tracer: ChangeTracer | undefined;
  readonly distributor: Pick<Distributor, 'resources' | 'responses'>;
  readonly metrics: Pick<Metrics, 'increment' | 'set'>;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** Adds the observers of snapshots and sessions, in the order in which they are called. */
export function connectObservers(observers: ProxyObservers, parts: ObservingParts): void {
  const { policy, keySets, apiKeys, analysis, webhooks, dns, shapes, status, apiStatuses, tracer } = parts;
  const { distributor, metrics, logging, clock } = parts;
  const authorizationLog = createAuthorizationLog(logging.scope('authorization'), clock);
  observers.sessions.push(authorizationLog);
  observers.sessions.push({ opened: shapes.look, closed: () => undefined });
  // The policy server comes first: it must know a snapshot before proxies have it.
  observers.snapshots.push(
    policy,
    keySets,
    apiKeys,
    analysis,
    webhooks,
    dns,
    createSnapshotLog(logging.scope('model')),
    createCacheLog(logging.scope('cache'), () => {
      const { resources, responses } = distributor;
      return { generated: resources.generations, composed: responses.composed, reused: responses.reused };
    }),
    authorizationLog,
    // The mesh config can name another policy server.
    { observe: shapes.look },
    createPendingPodRecorder(metrics),
    ...apiStatuses,
  );
  if (status !== undefined) {
    const changed = status.connectionsChanged;
    observers.sessions.push({ opened: changed, progressed: changed, closed: changed });
  }

  if (tracer !== undefined) {
    observers.sessions.push({
      opened: () => undefined,
      progressed: (session) => {
        const connection = session.snapshot();
        if (connection !== undefined) tracer.progressed(connection);
      },
      closed: () => undefined,
    });
  }
}
