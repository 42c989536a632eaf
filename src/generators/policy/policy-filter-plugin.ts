import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import { discoveredFilter } from '../../envoy/extension-config.js';
import {
  buildHttpGrpcAccessLog,
  buildTcpGrpcAccessLog,
  type GrpcAccessLogOptions,
} from '../../envoy/grpc-access-log.js';
import { HEADER_MUTATION } from '../../envoy/header-mutation.js';
import { buildHeaderToMetadata } from '../../envoy/header-to-metadata.js';
import { HTTP_EXT_AUTHZ } from '../../envoy/http-ext-authz.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { NETWORK_EXT_AUTHZ } from '../../envoy/network-ext-authz.js';
import { buildUnansweredCheckReply } from '../../envoy/unanswered-check-reply.js';
import { OUTBOUND_FAIL_POLICIES } from '../../model/policy/own-fail-policy.js';
import { checkServerOf, reportClusterOf, reportServerOf } from '../../model/policy/policy-servers.js';
import type { Direction } from '../../model/policy/proxy-policy.js';
import {
  ACCESS_LOG_NAMES,
  CHECK_ERROR_CODE_KEY,
  DYNAMIC_METADATA_NAMESPACE,
  FORWARDED_ATTRIBUTES_HEADER,
  FORWARDED_METADATA_KEY,
  POLICY_UNAVAILABLE_HEADER,
} from '../../policy/wire/call-metadata.js';
import type { FilterPlugin } from '../listeners/filter-plugin.js';
import type { GeneratorSettings } from '../settings.js';
import {
  FORWARD,
  inboundHttpCheckName,
  OUTBOUND_HTTP_CHECK,
  outboundHttpCheckName,
  tcpCheckName,
} from './filter-names.js';
import { createOutboundFailPolicies, SLOT_OF_PROXY } from './outbound-fail-policies.js';
import type { PolicyFactsOf } from './proxy-facts.js';

/** What reports tell of a request that access log entries do not have by themselves. */
const LOGGED_HEADERS = {
  request: ['content-type'],
  response: ['content-type', 'grpc-status', 'grpc-message'],
  responseTrailers: ['grpc-status', 'grpc-message'],
};

/** Longest wait of a report for others, of the client library (BEHAVIOUR 6, "Report batch"). */
const DEFAULT_FLUSH_INTERVAL_MS = 1000;

const UNANSWERED =
  'The policy server did not answer the check of this request, and the fail policy FAIL_CLOSE refuses it';

/** The proxy checks connections that it makes for its workload. */
const CHECKS_OUTBOUND = 'check';
/** The same, and services have fail policies of their own. */
const CHECKS_OUTBOUND_IN_SLOTS = 'check in slots';

/**
 * The filters and access logs of policy. Checks are named here and configured by ECDS, so that what turns them on and
 * off changes no listener: only whether there are policy servers at all does, and outbound TCP checks, of which there
 * would be one for every service port in proxies that do not want any. Where services have fail policies
 * of their own, proxies that check outbound requests have a fixed number of checks, of which each route enables one.
 */
export function createPolicyFilterPlugin(
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'initialFetchTimeoutMs'>,
  factsOf: PolicyFactsOf,
): FilterPlugin {
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);
  const httpCheck = (name: string) => discoveredFilter(name, HTTP_EXT_AUTHZ, configSource);
  const failPoliciesOf = createOutboundFailPolicies();
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
    answerKey: CHECK_ERROR_CODE_KEY,
  });

  return {
    name: 'policy',
    variantOf: (context, proxy) => {
      if (factsOf(context.mesh, proxy)?.policy.outboundChecks !== true) return '';
      return failPoliciesOf(context).hasAny ? CHECKS_OUTBOUND_IN_SLOTS : CHECKS_OUTBOUND;
    },
    httpFilters: (mesh, { direction, serviceCluster }, variant) => {
      if (!isActive(mesh)) return [];
      const checks = checkServerOf(mesh) !== undefined;
      // What the application says for itself is replaced before anybody reads it.
      if (direction === 'outbound') {
        if (!checks) return [forward];
        return [forward, ...(variant === CHECKS_OUTBOUND_IN_SLOTS ? slots : [httpCheck(OUTBOUND_HTTP_CHECK)])];
      }
      if (!checks || serviceCluster === undefined) return [keepForwarded];
      return [httpCheck(inboundHttpCheckName(serviceCluster)), keepForwarded];
    },
    networkFilters: (mesh, { direction, serviceCluster }, variant) => {
      if (serviceCluster === undefined || checkServerOf(mesh) === undefined) return [];
      if (direction === 'outbound' && variant === '') return [];
      return [discoveredFilter(tcpCheckName(serviceCluster), NETWORK_EXT_AUTHZ, configSource)];
    },
    httpAccessLogs: (mesh, direction) => {
      if (reportServerOf(mesh) === undefined || mesh.policy.disableMixerHttpReports) return [];
      return [buildHttpGrpcAccessLog(encoder, logOptions(mesh, direction), LOGGED_HEADERS)];
    },
    localReplies: (mesh) => (checkServerOf(mesh) === undefined ? [] : [unanswered]),
    tcpAccessLogs: (mesh, direction) => {
      if (reportServerOf(mesh) === undefined) return undefined;
      const logs = [buildTcpGrpcAccessLog(encoder, logOptions(mesh, direction))];
      return { logs, intervalMs: mesh.policy.reportIntervalMs };
    },
  };
}

function isActive(mesh: MeshConfig): boolean {
  return checkServerOf(mesh) !== undefined || reportServerOf(mesh) !== undefined;
}

function logOptions({ policy }: MeshConfig, direction: Direction): GrpcAccessLogOptions {
  return {
    logName: ACCESS_LOG_NAMES[direction],
    cluster: reportClusterOf(policy),
    // Envoy takes no 0: in SPEC 2.12 it means the default.
    flushIntervalMs: policy.reportBatchMaxTimeMs || DEFAULT_FLUSH_INTERVAL_MS,
  };
}
