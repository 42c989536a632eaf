import type { Clock } from '../../base/clock.js';
import type { HttpClientConfig, ServiceConfig } from '../../config/policy/client-config.js';
import type { AttributeBag } from './attribute-bag.js';
import { createCheckCache } from './check-cache.js';
import { type CheckDecision, createCheckFlow } from './check-flow.js';
import { type ClientStatisticsSnapshot, createClientStatistics, startStatisticsUpdates } from './client-statistics.js';
import type { QuotaCharge } from './compile-quota-specs.js';
import {
  guardedClock,
  guardedErrors,
  guardedPublisher,
  guardedRandom,
  type OnClientError,
} from './guarded-dependencies.js';
import { OK_STATUS } from './policy-status.js';
import type { PolicyTransport } from './policy-transport.js';
import { createQuotaCache, createUncachedQuotas } from './quota-cache.js';
import { createRemoteCheck } from './remote-check.js';
import { createReportBatch } from './report-batch.js';
import {
  type NetworkFailPolicyConfig,
  type ResolvedFailPolicy,
  readTransportTiming,
  resolveNetworkFailPolicy,
  type TransportConfig,
} from './transport-config.js';

/**
 * The fields of ServiceConfig that decide about calls, as they are written
 * (docs/reference/policy-client.md#serviceconfig).
 */
export type ServiceCallConfig = Partial<Pick<ServiceConfig, 'disableCheckCalls' | 'disableReportCalls'>> & {
  /** Replaces the mesh's policy for this service. */
  readonly networkFailPolicy?: NetworkFailPolicyConfig | undefined;
};

export interface PolicyCheck {
  readonly attributes: AttributeBag;
  /** The charges of the quota rules; none unless given. */
  readonly quotas?: readonly QuotaCharge[];
  /** The service that the request is for. */
  readonly service?: ServiceCallConfig | undefined;
  /**
   * The id of the request in calls, for a caller that may receive the same request again: the policy server then
   * charges it once. By default the client makes an id for every check. Calls that also fetch units for later requests
   * do not use it; with `disableQuotaCache` there are no such calls.
   */
  readonly deduplicationId?: string | undefined;
  /** Abort it when the request has ended before its check. */
  readonly cancel?: AbortSignal | undefined;
}

export interface PolicyReport {
  readonly attributes: AttributeBag;
  readonly service?: ServiceCallConfig | undefined;
}

export interface PolicyClientDependencies {
  readonly transport: PolicyTransport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** A UUID that no other client has: deduplication ids begin with it. */
  readonly clientId: string;
  /** Gets the counters every `statsUpdateInterval`, and once when the client is closed. A failure goes to `onError`. */
  readonly publishStatistics?: (snapshot: ClientStatisticsSnapshot) => void;
  /**
   * Gets each failure of the embedder's functions that no call reports: of the clock, the randomness, the publisher, a
   * timer, and of a check that its fail policy then decided. Failures of the transport are counted.
   */
  readonly onError?: OnClientError;
}

/**
 * Decides about requests and reports them, for all services of one proxy
 * (docs/reference/policy-client.md#serviceconfig, docs/reference/policy-client.md#httpclientconfig).
 */
export interface PolicyClient {
  /**
   * Never throws and never rejects: when the server or a dependency fails, the fail policy of
   * docs/reference/errors.md#failures decides.
   */
  check(request: PolicyCheck): Promise<CheckDecision>;
  /** Takes the report into the current batch. */
  report(report: PolicyReport): void;
  statistics(): ClientStatisticsSnapshot;
  /** Sends the waiting reports, stops all timers of the client, and settles when all report calls have ended. */
  close(): Promise<void>;
}

const NO_CHARGES: readonly QuotaCharge[] = [];
const NOT_CHECKED: CheckDecision = {
  status: OK_STATUS,
  isCheckCacheHit: false,
  isQuotaCacheHit: false,
  exhaustedQuotas: [],
};

/**
 * Makes a client from the `transport` of HttpClientConfig or TcpClientConfig
 * (docs/reference/policy-client.md#transportconfig).
 *
 * @throws DurationSyntaxError when a duration cannot be read; validated configuration does not get here
 */
export function createPolicyClient(config: TransportConfig, dependencies: PolicyClientDependencies): PolicyClient {
  const { transport, publishStatistics, clientId } = dependencies;
  const onError = guardedErrors(dependencies.onError);
  const clock = guardedClock(dependencies.clock, onError);
  const random = guardedRandom(dependencies.random, onError);
  const timing = readTransportTiming(config);
  const statistics = createClientStatistics();
  const quotasUnder = (failPolicy: ResolvedFailPolicy['policy']) =>
    config.disableQuotaCache ? createUncachedQuotas(failPolicy) : createQuotaCache({ clock, failPolicy });
  const decide = createCheckFlow({
    checkCache: config.disableCheckCache ? undefined : createCheckCache({ clock }),
    quotaCaches: { FAIL_OPEN: quotasUnder('FAIL_OPEN'), FAIL_CLOSE: quotasUnder('FAIL_CLOSE') },
    remoteCheck: createRemoteCheck({ transport, clock, random, clientId, statistics }),
    statistics,
    onError,
  });
  const startUpdates = (publish: (snapshot: ClientStatisticsSnapshot) => void): (() => void) => {
    try {
      return startStatisticsUpdates({ statistics, intervalMs: timing.statsUpdateIntervalMs, clock, publish });
    } catch (error) {
      onError(error, 'clock');
      return () => publish(statistics.snapshot());
    }
  };
  const reports = createReportBatch({
    transport,
    clock,
    statistics,
    maxEntries: timing.reportBatchMaxEntries,
    maxTimeMs: timing.reportBatchMaxTimeMs,
  });
  const stopUpdates = publishStatistics && startUpdates(guardedPublisher(publishStatistics, onError));
  /** Without its waits where these cannot be read. */
  const policyOfService = (own: NetworkFailPolicyConfig): ResolvedFailPolicy => {
    try {
      return resolveNetworkFailPolicy(undefined, own);
    } catch (error) {
      onError(error, 'check');
      const { policy, maxRetry } = own;
      return resolveNetworkFailPolicy(undefined, { ...(policy && { policy }), ...(maxRetry && { maxRetry }) });
    }
  };
  const meshPolicy = resolveNetworkFailPolicy(config.networkFailPolicy);

  return {
    check({ attributes, quotas = NO_CHARGES, service, deduplicationId, cancel }) {
      if (service?.disableCheckCalls) return Promise.resolve(NOT_CHECKED);
      const own = service?.networkFailPolicy;
      const failPolicy = own === undefined ? meshPolicy : policyOfService(own);
      return decide({ bag: attributes, quotas, failPolicy, deduplicationId, cancel });
    },
    report({ attributes, service }) {
      if (!service?.disableReportCalls) reports.add(attributes);
    },
    statistics: statistics.snapshot,
    async close() {
      await reports.close();
      stopUpdates?.();
    },
  };
}

/**
 * The configuration for a request to one of several services (docs/reference/policy-client.md#httpclientconfig
 * `serviceConfigs`).
 *
 * @param destinationService the value of `destination.service`; `defaultDestinationService` when the request has none
 * @returns undefined for a service without a configuration: only the configuration of the client applies
 */
export function serviceConfigFor(
  { serviceConfigs, defaultDestinationService }: HttpClientConfig,
  destinationService: string | undefined,
): ServiceConfig | undefined {
  const service = destinationService || defaultDestinationService;
  return service !== undefined && Object.hasOwn(serviceConfigs, service) ? serviceConfigs[service] : undefined;
}
