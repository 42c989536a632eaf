import type { Clock } from '../base/clock.js';
import type { Proxy } from '../model/proxy.js';
import type { WorkloadIdentity } from '../model/spiffe-id.js';
import type { Distribution } from '../push/distributor.js';
import type { NameSets } from '../push/name-set.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { WorkRunner } from '../push/work-runner.js';
import type { Logger } from '../telemetry/logger.js';
import type { RecentEvents } from './client-status/recent-events.js';
import type { Connections } from './connections.js';
import type { DeltaMemory } from './delta/delta-memory.js';
import type { Peers } from './limits/peers.js';
import type { XdsLimits } from './limits/xds-limits.js';
import type { LoadRecorder } from './load-reports/load-recorder.js';
import type { PeerReports } from './peer-reports.js';
import type { ProxySession } from './proxy-session.js';
import type { SecretService } from './secrets/secret-service.js';

/** The parts and functions that all sessions share. */
export interface SessionEnvironment extends PeerReports {
  readonly distribution: Distribution;
  readonly nameSets: NameSets;
  /** What delta streams share. */
  readonly delta: DeltaMemory;
  readonly metrics: PushMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Runs long computations in slices. */
  readonly runner: WorkRunner;
  readonly peers: Peers;
  readonly limits: XdsLimits;
  /** @throws StreamError when the node does not describe a proxy. */
  readProxy(node: Uint8Array): Proxy;
  /** Asks the push queue for a push of the session. */
  enqueue(session: ProxySession): void;
  /** The session's node is known. Called once, before its first push. */
  register(session: ProxySession): void;
  /** The proxy has acknowledged or rejected a response, or its configuration was found to be the newest. */
  progressed(session: ProxySession): void;
  /** Makes `<node id>-<counter>`. */
  connectionId(nodeId: string): string;
  /** The connected proxies, for the service and the types that show their state. Default: they are not served. */
  readonly connections?: Pick<Connections, 'ids' | 'find'>;
  /** Ended connections and rejections, for the types that show them. Default: they are not served. */
  readonly events?: RecentEvents;
  /** Domain of the debug types. Default: `mesh.internal`. */
  readonly meshDomain?: string;
  /** Adds up load reports (LRS). Default: the service is not served. */
  readonly loads?: LoadRecorder;
  /** Provides the certificates of workloads with a proven identity. Default: no stream gets secrets. */
  readonly secrets?: SecretService;
  /** Whether a proven identity may read the policies of all namespaces. Default: no identity may. */
  readonly seesAllPolicies?: (identity: WorkloadIdentity) => boolean;
}
