import { parseDuration } from '../../base/parse-duration.js';
import type { PolicyMeshConfig } from '../../config/mesh/mesh-config.js';
import type { GrpcServiceOptions } from '../../envoy/grpc-service.js';
import type { HttpCheckServiceOptions } from '../../envoy/http-check-service.js';
import { buildHttpExtAuthz, buildIdleHttpExtAuthz } from '../../envoy/http-ext-authz.js';
import type { MessageEncoder, PackedAny } from '../../envoy/message-encoder.js';
import { buildIdleNetworkExtAuthz, buildNetworkExtAuthz } from '../../envoy/network-ext-authz.js';
import type { ServiceRetries } from '../../envoy/service-retries.js';
import { httpClientConfigOf, tcpClientConfigOf } from '../../model/policy/client-configs.js';
import { callAttributesOf } from '../../model/policy/filter-attributes.js';
import { NO_PLANS } from '../../model/policy/plans/plan-bindings.js';
import { HTTP_CHECK_CLUSTER } from '../../model/policy/policy-servers.js';
import type { Direction, ProxyPolicy } from '../../model/policy/proxy-policy.js';
import type { RuleHeaders } from '../../model/policy/rules/rule-headers.js';
import type { SpecsOf } from '../../model/policy/service-config.js';
import type { Service } from '../../model/service.js';
import {
  CHECK_HEADER_PREFIX,
  CHECK_HEADERS,
  CLIENT_CONFIG_METADATA,
  CONNECTION_ID_METADATA,
  CONNECTION_TIME_METADATA,
  FORWARDED_ATTRIBUTES_HEADER,
  HIDDEN_HEADER_PREFIXES,
  JWT_METADATA_NAMESPACE,
  POLICY_HEADER_PREFIX,
  RECEIPT_HEADER,
  RESPONSE_HEADERS,
  SERVICE_METADATA,
} from '../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import { CHECK_HEADER_FORMATS, ROUTE_HEADER_FORMATS } from './check-headers.js';
import type { PolicyFacts } from './proxy-facts.js';

/** The single service of a filter chain. */
export interface CheckedService {
  /** Host, name and namespace are read. */
  readonly service: Service;
  /** Inbound: the port that the workload listens on. */
  readonly targetPort: number | undefined;
  /** Inbound: whether filters before the check enforce the fast specs of the service. */
  readonly countsFastQuotas?: boolean;
}

/** Builds the filters that call the policy server, and disabled filters in their place. */
export interface CheckFilters {
  /**
   * @param protocol of the calls
   * @param only undefined where routes name the service of a request
   * @param headers that rules change; some of them need gRPC
   */
  http(
    facts: PolicyFacts,
    protocol: PolicyMeshConfig['policyCheckProtocol'],
    direction: Direction,
    only: CheckedService | undefined,
    headers: RuleHeaders,
  ): PackedAny;
  tcp(facts: PolicyFacts, direction: Direction, only: CheckedService): PackedAny;
  /** A filter in the place of a check that lets everything pass and calls no server. */
  disabledFilter(protocol: 'http' | 'tcp', checkCluster: string): PackedAny;
}

/** In the names of the filters' statistics: `http.<listener>.ext_authz.policy.ok`, `ext_authz.policy.ok`. */
const STAT_PREFIX = 'policy';

/** For one call with its retries. */
const CALL_TIMEOUT_MS = 5000;

/** The id of the connection in its access log, and the time at which it was opened. */
const CONNECTION_METADATA = {
  [CONNECTION_ID_METADATA]: '%STREAM_ID%',
  [CONNECTION_TIME_METADATA]: '%START_TIME(%s.%9f)%',
};

/** The policy server has the specs of services, so that filters need none. */
const NO_SPECS: SpecsOf = { quotaSpecsOf: () => [], apiSpecsOf: () => [], plans: NO_PLANS };

export function createCheckFilters(encoder: MessageEncoder, texts: ConfigEncoder): CheckFilters {
  const grpcServiceOf = (
    { policy, identity }: PolicyFacts,
    clientConfig: string,
    only: CheckedService | undefined,
  ): GrpcServiceOptions => ({
    cluster: policy.transport.checkCluster,
    timeoutMs: CALL_TIMEOUT_MS,
    retries: retriesOf(policy),
    metadata: {
      [CLIENT_CONFIG_METADATA]: clientConfig,
      ...(only === undefined ? {} : { [SERVICE_METADATA]: only.service.hostname }),
      [FORWARDED_ATTRIBUTES_HEADER]: texts.attributesSpecText(callAttributesOf(identity)),
    },
  });
  const httpServiceOf = (
    { policy }: PolicyFacts,
    clientConfig: string,
    only: CheckedService | undefined,
    changed: RuleHeaders,
  ): HttpCheckServiceOptions => ({
    cluster: HTTP_CHECK_CLUSTER,
    timeoutMs: CALL_TIMEOUT_MS,
    retries: retriesOf(policy),
    headers: {
      [CHECK_HEADERS.config]: clientConfig,
      ...(only === undefined ? {} : { [CHECK_HEADERS.service]: only.service.hostname }),
    },
    formattedHeaders: { ...CHECK_HEADER_FORMATS, ...(only === undefined ? ROUTE_HEADER_FORMATS : {}) },
    requestHeaders: [RECEIPT_HEADER, ...changed.request],
    responseHeaders: [...RESPONSE_HEADERS, ...changed.response.filter((name) => !RESPONSE_HEADERS.includes(name))],
    ownPrefix: CHECK_HEADER_PREFIX,
    hiddenPrefixes: HIDDEN_HEADER_PREFIXES,
    shownPrefix: POLICY_HEADER_PREFIX,
  });
  const allowsOnFailure = ({ policy }: PolicyFacts): boolean =>
    policy.transport.networkFailPolicy.policy === 'FAIL_OPEN';

  return {
    http: (facts, protocol, direction, only, headers) => {
      const { policy, identity } = facts;
      const config = httpClientConfigOf(policy, identity, direction, only?.targetPort);
      const clientConfig = texts.httpClientConfigText(
        only?.countsFastQuotas === true ? { ...config, countsFastQuotas: true } : config,
      );
      return buildHttpExtAuthz(encoder, {
        statPrefix: STAT_PREFIX,
        server:
          protocol === 'HTTP' && !headers.needsGrpc
            ? { protocol: 'http', service: httpServiceOf(facts, clientConfig, only, headers) }
            : { protocol: 'grpc', service: grpcServiceOf(facts, clientConfig, only) },
        allowsOnFailure: allowsOnFailure(facts),
        metadataNamespaces: [JWT_METADATA_NAMESPACE],
      });
    },
    tcp: (facts, direction, only) => {
      const { policy, identity } = facts;
      const config = tcpClientConfigOf(policy, identity, direction, only.service, NO_SPECS, only.targetPort);
      // The caller has decided that the service is checked. A configuration without specs would disable checks.
      const clientConfig = texts.tcpClientConfigText({ ...config, disableCheckCalls: false });
      const server = { ...grpcServiceOf(facts, clientConfig, only), formattedMetadata: CONNECTION_METADATA };
      return buildNetworkExtAuthz(encoder, {
        statPrefix: STAT_PREFIX,
        server,
        allowsOnFailure: allowsOnFailure(facts),
      });
    },
    disabledFilter: (protocol, checkCluster) =>
      protocol === 'http'
        ? buildIdleHttpExtAuthz(encoder, STAT_PREFIX, checkCluster)
        : buildIdleNetworkExtAuthz(encoder, STAT_PREFIX, checkCluster),
  };
}

function retriesOf({ transport: { networkFailPolicy } }: ProxyPolicy): ServiceRetries {
  return {
    maxRetries: networkFailPolicy.maxRetry,
    baseWaitMs: parseDuration(networkFailPolicy.baseRetryWait),
    maxWaitMs: parseDuration(networkFailPolicy.maxRetryWait),
  };
}
