import type { Clock } from '../base/clock.js';
import type { Proxy } from '../model/proxy.js';
import type { WorkloadIdentity } from '../model/spiffe-id.js';
import type { Distribution } from '../push/distributor.js';
import type { NameSets } from '../push/name-set.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { WorkRunner } from '../push/work-runner.js';
import type { Logger } from '../telemetry/logger.js';
import type { Peers } from './limits/peers.js';
import type { XdsLimits } from './limits/xds-limits.js';
import type { PeerReports } from './peer-reports.js';
import type { ProxySession } from './proxy-session.js';
import type { SecretService } from './secrets/secret-service.js';

/** What every session shares. */
export interface SessionEnvironment extends PeerReports {
  readonly distribution: Distribution;
  readonly nameSets: NameSets;
  readonly metrics: PushMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Runs what takes long, in slices. */
  readonly runner: WorkRunner;
  readonly peers: Peers;
  readonly limits: XdsLimits;
  /** @throws StreamError when the node does not describe a proxy. */
  readProxy(node: Uint8Array): Proxy;
  /** Asks for a turn. */
  enqueue(session: ProxySession): void;
  /** The session's node is known; called once, before its first turn. */
  register(session: ProxySession): void;
  /** What the session's proxy is known to have, or has rejected, has changed. */
  progressed(session: ProxySession): void;
  /** Makes `<node id>-<counter>`. */
  connectionId(nodeId: string): string;
  /** Gives workloads whose identity is proven their certificates. Default: there are none to give. */
  readonly secrets?: SecretService;
  /** Whether an identity that is proven may read the policies of all namespaces. Default: none may. */
  readonly seesAllPolicies?: (identity: WorkloadIdentity) => boolean;
}
