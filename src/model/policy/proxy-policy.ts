import type { MeshConfig, PolicyMeshConfig } from '../../config/mesh/mesh-config.js';
import type { NetworkFailPolicy, TransportConfig } from '../../config/policy/transport-config.js';
import type { Proxy } from '../proxy.js';
import { checkClusterOf, reportClusterOf } from './policy-servers.js';
import type { PolicyOverrides } from './read-policy-overrides.js';
import type { BoundSpecs } from './service-config.js';

/** The direction of traffic at a proxy: to its own workload, or from it. */
export type Direction = 'inbound' | 'outbound';

/** Settings of the calls to the policy servers, without the attributes that name a proxy. */
export type SharedTransport = Omit<TransportConfig, 'attributesForMixerProxy'>;

/**
 * The settings of the policy plugin for a proxy (docs/reference/policy-client.md#policy-plugin,
 * docs/reference/policy-client.md#transport-settings). They do not name the proxy: proxies with the same overrides have
 * equal settings, with equal keys.
 */
export interface ProxyPolicy {
  /** Names all other members. */
  readonly key: string;
  /** Whether the policy server in the discovery process checks. It checks only services that have a policy. */
  readonly isEmbedded: boolean;
  readonly inboundChecks: boolean;
  readonly outboundChecks: boolean;
  readonly httpReports: boolean;
  readonly tcpReports: boolean;
  /** Interval of reports of open TCP connections. */
  readonly reportInterval: string;
  readonly transport: SharedTransport;
}

const BASE_RETRY_WAIT_MS = 80;
const MAX_RETRY_WAIT_MS = 1000;

/** Undefined when the mesh config names no policy server: the plugin adds nothing then. */
export function proxyPolicyOf(
  { policy }: Pick<MeshConfig, 'policy'>,
  proxy: Pick<Proxy, 'type' | 'metadata'>,
): ProxyPolicy | undefined {
  if (policy.mixerCheckServer === '' && policy.mixerReportServer === '') return undefined;
  const overrides = proxy.metadata.policy ?? {};
  const hasReports = policy.mixerReportServer !== '';
  const facts: Omit<ProxyPolicy, 'key'> = {
    isEmbedded: policy.mixerCheckServer === 'embedded',
    inboundChecks: checks(policy, overrides, !policy.disablePolicyChecks),
    outboundChecks: checks(policy, overrides, proxy.type === 'router' || policy.enableClientSidePolicyCheck),
    httpReports: hasReports && !policy.disableMixerHttpReports,
    tcpReports: hasReports,
    reportInterval: durationText(policy.reportIntervalMs),
    transport: {
      disableCheckCache: false,
      disableQuotaCache: false,
      disableReportBatch: false,
      networkFailPolicy: failPolicyOf(policy, overrides),
      statsUpdateInterval: durationText(policy.statsUpdateIntervalMs),
      checkCluster: checkClusterOf(policy),
      reportCluster: reportClusterOf(policy),
      reportBatchMaxEntries: policy.reportBatchMaxEntries,
      reportBatchMaxTime: durationText(policy.reportBatchMaxTimeMs),
    },
  };
  return { key: JSON.stringify(facts), ...facts };
}

/**
 * Whether traffic of a service is checked in a direction. The server in the discovery process checks only services with
 * a policy: its failure must not affect others.
 *
 * @param isRuled whether a rule decides about requests to the service
 */
export function isServiceChecked(
  policy: ProxyPolicy,
  direction: Direction,
  { quotaSpec, httpApiSpec, plans = [] }: BoundSpecs,
  isRuled = false,
): boolean {
  const isOn = direction === 'inbound' ? policy.inboundChecks : policy.outboundChecks;
  return isOn && (!policy.isEmbedded || isRuled || quotaSpec.length + httpApiSpec.length + plans.length > 0);
}

function checks({ mixerCheckServer }: PolicyMeshConfig, { check }: PolicyOverrides, isOnInMesh: boolean): boolean {
  return mixerCheckServer !== '' && (check === undefined ? isOnInMesh : check !== 'disable');
}

function failPolicyOf(policy: PolicyMeshConfig, overrides: PolicyOverrides): NetworkFailPolicy {
  return networkFailPolicyOf({
    isFailOpen: isFailOpen(policy, overrides),
    maxRetry: overrides.checkRetries,
    baseRetryWaitMs: overrides.checkBaseRetryWaitMs,
    maxRetryWaitMs: overrides.checkMaxRetryWaitMs,
  });
}

/**
 * A complete network fail policy; undefined fields have the defaults of
 * docs/reference/policy-client.md#transport-settings.
 */
interface FailPolicyNumbers {
  readonly isFailOpen: boolean;
  readonly maxRetry: number | undefined;
  readonly baseRetryWaitMs: number | undefined;
  readonly maxRetryWaitMs: number | undefined;
}

/** The longest wait is at least the first one. */
export function networkFailPolicyOf(numbers: FailPolicyNumbers): NetworkFailPolicy {
  const {
    isFailOpen,
    maxRetry = 0,
    baseRetryWaitMs = BASE_RETRY_WAIT_MS,
    maxRetryWaitMs = MAX_RETRY_WAIT_MS,
  } = numbers;
  return {
    policy: isFailOpen ? 'FAIL_OPEN' : 'FAIL_CLOSE',
    maxRetry,
    baseRetryWait: durationText(baseRetryWaitMs),
    maxRetryWait: durationText(Math.max(baseRetryWaitMs, maxRetryWaitMs)),
  };
}

function isFailOpen({ policyCheckFailOpen }: PolicyMeshConfig, { check }: PolicyOverrides): boolean {
  return check === undefined ? policyCheckFailOpen : check !== 'enable';
}

function durationText(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}
