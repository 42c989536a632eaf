import type { Clock } from '../../../base/clock.js';
import type {
  PolicyServerConfig,
  QuotaLimit,
  QuotaStorage,
} from '../../../config/policy-server/policy-server-config.js';
import type { PolicyRegexLimits } from '../../../config/regex/regex-limits.js';
import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { Metrics } from '../../../telemetry/metrics.js';
import type { PolicyHandler } from '../../handlers/policy-handler.js';
import type { ReadKeyFile } from '../../quota/known-keys.js';
import type { QuotaHandler } from '../../quota/quota-handler.js';
import type { QuotaStore } from '../../quota/quota-store.js';
import type { QuotaShares } from '../../quota/shares/quota-shares.js';
import type { GrpcPolicyTransport } from '../../remote/grpc-policy-transport.js';
import type { AdapterEnvironment } from '../../rules/adapters/adapter.js';
import type { RuleHandler } from '../../rules/rule-handler.js';
import type { RulesInForce } from '../../rules/rule-objects.js';

export interface PolicyHandlersOptions {
  readonly openStore: (storage: QuotaStorage) => QuotaStore;
  /** @throws Error when a file that the configuration names cannot be read */
  readonly connect: (remote: RemoteConfig) => GrpcPolicyTransport;
  /** @throws Error when the file cannot be read */
  readonly readKeyFile: ReadKeyFile;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Makes a UUID. */
  readonly createId: () => string;
  /** Of scope `policy`. */
  readonly logger: Logger;
  /** The same logger, for events that callers can cause at any rate. */
  readonly limitedLog: LimitedLog;
  /** Policy servers that count in memory, each for itself, this one too. */
  readonly unsharedServers: () => number;
  /** What the handlers of rules get of the process. */
  readonly adapters: AdapterEnvironment;
  /** Limits of the regular expressions of rules. */
  readonly regexLimits: Pick<PolicyRegexLimits, 'programsBytes'>;
}

/** The `mesh.policy.v1` server that decides instead of this process. */
export type RemoteConfig = NonNullable<PolicyServerConfig['backend']>;

/** The counters of the quota handler. */
export type LiveQuotas = Pick<QuotaHandler, 'use' | 'reset'>;

/** What handlers know of one another. */
export interface Neighbours {
  /** The rules of the process, whether a handler applies them or not. */
  rules(): RulesInForce;
  /** The limits of plans. */
  planLimits(): readonly QuotaLimit[];
  /** Whether a rule counts a quota. */
  countsQuota(name: string): boolean;
}

/** A handler and its part of the configuration. */
export interface ConfiguredHandler {
  readonly handler: PolicyHandler;
  /** Whether the handler has followed the change. If not, it is closed, and a new one may be opened. */
  follow(config: PolicyServerConfig): boolean;
  isUp(): boolean;
  readonly quotas?: LiveQuotas;
  readonly shares?: QuotaShares;
  readonly planLimits?: Pick<QuotaHandler, 'usePlans'>;
  readonly rules?: RuleHandler;
}

/** Opens the handler; undefined where the configuration does not ask for it. */
export type OpenHandler = (
  config: PolicyServerConfig,
  options: PolicyHandlersOptions,
  neighbours: Neighbours,
) => ConfiguredHandler | undefined;
