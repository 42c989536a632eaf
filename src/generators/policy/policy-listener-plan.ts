import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import { discoveredFilter } from '../../envoy/extension-config.js';
import {
  buildHttpGrpcAccessLog,
  buildTcpGrpcAccessLog,
  type GrpcAccessLogOptions,
} from '../../envoy/grpc-access-log.js';
import { buildHeaderToMetadata, HEADER_MUTATION } from '../../envoy/header-filters.js';
import { HTTP_EXT_AUTHZ } from '../../envoy/http-ext-authz.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { inboundClusterName } from '../../envoy/names.js';
import { NETWORK_EXT_AUTHZ } from '../../envoy/network-ext-authz.js';
import { RATE_LIMIT_QUOTA } from '../../envoy/rate-limit-quota.js';
import { buildShiftedStatuses } from '../../envoy/shifted-statuses.js';
import { buildUnansweredCheckReply } from '../../envoy/unanswered-check-reply.js';
import { OUTBOUND_FAIL_POLICIES } from '../../model/policy/own-fail-policy.js';
import { checkServerOf, reportClusterOf, reportServerOf } from '../../model/policy/policy-servers.js';
import type { Direction } from '../../model/policy/proxy-policy.js';
import type { Proxy } from '../../model/proxy.js';
import {
  ACCESS_LOG_NAMES,
  ANSWER_HEADERS,
  CHECK_ERROR_CODE_KEY,
  DYNAMIC_METADATA_NAMESPACE,
  FORWARDED_ATTRIBUTES_HEADER,
  FORWARDED_METADATA_KEY,
  POLICY_UNAVAILABLE_HEADER,
  SHIFTED_STATUS,
} from '../../policy/wire/call-metadata.js';
import type { ChainDescription, ListenerPlan } from '../plugins/listener-plan.js';
import type { ListenerPlanContext } from '../plugins/networking-plugin.js';
import type { GeneratorSettings } from '../settings.js';
import {
  FORWARD,
  fastGuardName,
  fastQuotasName,
  inboundHttpCheckName,
  OUTBOUND_HTTP_CHECK,
  outboundHttpCheckName,
  tcpCheckName,
} from './filter-names.js';
import { SLOT_OF_PROXY } from './outbound-fail-policies.js';
import type { PolicyLookups } from './policy-lookups.js';

/** Headers that reports need and access log entries have only when they are named. */
const LOGGED_HEADERS = {
  request: ['content-type'],
  response: ['content-type', 'grpc-status', 'grpc-message'],
  responseTrailers: ['grpc-status', 'grpc-message'],
};

/** How long the first report of a batch waits; the same as in the client library. */
const DEFAULT_FLUSH_INTERVAL_MS = 1000;

const NO_CLUSTERS: ReadonlySet<string> = new Set();

const UNANSWERED =
  'The policy server did not answer the check of this request, and the fail policy FAIL_CLOSE refuses it';

/**
 * The filters and access logs of policy. A listener only names its checks, and ECDS configures them, so that a policy
 * changes no listener. Listeners depend on whether the mesh config names policy servers, and on whether the proxy checks
 * outbound traffic: other proxies would need a disabled TCP check for every port of every service. Where services set
 * fail policies, proxies that check outbound requests have a fixed number of checks, and each route enables one. Only chains of
 * services to which a fast QuotaSpec is bound have the filters of fast quotas.
 */
export function createListenerPlanner(
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'initialFetchTimeoutMs'>,
  { factsOf, failPoliciesOf, fastServicesOf }: Pick<PolicyLookups, 'factsOf' | 'failPoliciesOf' | 'fastServicesOf'>,
): (context: ListenerPlanContext, proxy: Proxy) => ListenerPlan | undefined {
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);
  const httpCheck = (name: string) => discoveredFilter(name, HTTP_EXT_AUTHZ, configSource);
  const quotaFilter = (name: string) => discoveredFilter(name, RATE_LIMIT_QUOTA, configSource);
  /** The inbound clusters of services with fast QuotaSpecs. */
  const fastClustersOf = (context: ListenerPlanContext, proxy: Proxy): ReadonlySet<string> => {
    const { find } = fastServicesOf(context);
    const fast = context.inboundOf(proxy).filter(({ service }) => find(service) !== undefined);
    return new Set(fast.map(({ service, port }) => inboundClusterName(port.number, port.name, service.hostname)));
  };
  const slots = Array.from({ length: 1 + OUTBOUND_FAIL_POLICIES }, (_, slot) => {
    const check = httpCheck(outboundHttpCheckName(slot));
    return slot === SLOT_OF_PROXY ? check : { ...check, disabled: true };
  });
  const forward = discoveredFilter(FORWARD, HEADER_MUTATION, configSource);
  const keepForwarded = buildHeaderToMetadata(encoder, {
    header: FORWARDED_ATTRIBUTES_HEADER,
    namespace: DYNAMIC_METADATA_NAMESPACE,
    key: FORWARDED_METADATA_KEY,
  });

  const unanswered = buildUnansweredCheckReply({
    body: UNANSWERED,
    headers: { [POLICY_UNAVAILABLE_HEADER]: 'unreachable', 'retry-after': '1' },
    answerKeys: [CHECK_ERROR_CODE_KEY, ANSWER_HEADERS.outcome],
  });
  // The same for both protocols of checks, so that a change from one to the other replaces no listener.
  const localReplies = [unanswered, ...buildShiftedStatuses(SHIFTED_STATUS)];

  return (context, proxy) => {
    const { mesh } = context;
    const checks = checkServerOf(mesh) !== undefined;
    const reports = reportServerOf(mesh) !== undefined;
    if (!checks && !reports) return undefined;
    const checksOutbound = factsOf(mesh, proxy)?.policy.outboundChecks === true;
    const isInSlots = checksOutbound && failPoliciesOf(context).hasAny;
    const outboundChecks = isInSlots ? slots : [httpCheck(OUTBOUND_HTTP_CHECK)];
    const fastClusters = checks && proxy.type === 'sidecar' ? fastClustersOf(context, proxy) : NO_CLUSTERS;
    return {
      ...(fastClusters.size > 0 && { inboundKey: JSON.stringify([...fastClusters].sort()) }),
      key: [checksOutbound ? 'checks outbound' : '', isInSlots ? 'in slots' : ''].join(),
      httpFilters: ({ direction, serviceCluster }) => {
        // The first filter replaces attributes that the application sends.
        if (direction !== 'inbound') return checks ? [forward, ...outboundChecks] : [forward];
        if (!checks || serviceCluster === undefined) return [keepForwarded];
        // A request beyond the proxy's own share needs no check.
        const fast = fastClusters.has(serviceCluster)
          ? [fastGuardName(serviceCluster), fastQuotasName(serviceCluster)]
          : [];
        return [...fast.map(quotaFilter), httpCheck(inboundHttpCheckName(serviceCluster)), keepForwarded];
      },
      networkFilters: ({ direction, serviceCluster }) => {
        if (serviceCluster === undefined || !checks) return [];
        if (direction !== 'inbound' && !checksOutbound) return [];
        return [discoveredFilter(tcpCheckName(serviceCluster), NETWORK_EXT_AUTHZ, configSource)];
      },
      httpAccessLogs: (direction) =>
        !reports || mesh.policy.disableMixerHttpReports
          ? []
          : [buildHttpGrpcAccessLog(encoder, logOptions(mesh, directionOf(direction)), LOGGED_HEADERS)],
      localReplies: checks ? localReplies : [],
      tcpAccessLogs: (direction) => {
        if (!reports) return undefined;
        const logs = [buildTcpGrpcAccessLog(encoder, logOptions(mesh, directionOf(direction)))];
        return { logs, intervalMs: mesh.policy.reportIntervalMs };
      },
    };
  };
}

/** Requests at a gateway are on their way out of the router. */
function directionOf(direction: ChainDescription['direction']): Direction {
  return direction === 'inbound' ? 'inbound' : 'outbound';
}

function logOptions({ policy }: MeshConfig, direction: Direction): GrpcAccessLogOptions {
  return {
    logName: ACCESS_LOG_NAMES[direction],
    cluster: reportClusterOf(policy),
    // 0 means the default. Envoy rejects 0.
    flushIntervalMs: policy.reportBatchMaxTimeMs || DEFAULT_FLUSH_INTERVAL_MS,
  };
}
