import { gatewayControllerName } from '../config/gateway-api/gateway-api-names.js';
import type { RegexLimits } from '../config/regex/regex-limits.js';
import type { GeneratorSettings } from '../generators/settings.js';
import type { HttpServerOptions } from '../introspection/http-server.js';
import type { MeshStoreSettings } from '../model/store/mesh-store-settings.js';
import type { GrpcListenerSettings } from '../net/grpc-listener.js';
import type { DistributorSettings } from '../push/distributor.js';
import type { TracingSettings } from '../tracing/create-tracing.js';
import type { XdsLimits } from '../xds/limits/xds-limits.js';
import type { RestSettings } from '../xds/rest/rest-discovery.js';
import type { Environment, PolicyRegexEnvironment, RegexEnvironment } from './environment.js';
import type { CommonFlags, Options } from './options.js';
import type { StatusSettings } from './status/status-settings.js';

/** Limit of unsent bytes of all proxies together, above which no push to another proxy starts. */
const UNSENT_BYTES = 32 << 20;
/** A proxy that has not read its response for this long does not delay the others. */
const STALL_MS = 200;

export function distributorSettings({ environment }: Options, controlPlane: string): DistributorSettings {
  return {
    debounce: {
      afterMs: environment.navDebounceAfterMs,
      maxMs: environment.navDebounceMaxMs,
      debounceEndpoints: environment.navEnableEdsDebounce,
    },
    queue: { throttle: environment.navPushThrottle, byteBudget: UNSENT_BYTES, stallMs: STALL_MS },
    controlPlane,
  };
}

/** In place of the address of a closed listener. */
const CLOSED = { host: '', port: 0 };

/** Keepalive and age of the connections of a listener. */
export function connectionTimes(
  common: CommonFlags,
): Pick<GrpcListenerSettings, 'keepaliveIntervalMs' | 'keepaliveTimeoutMs' | 'maxConnectionAgeMs'> {
  return {
    keepaliveIntervalMs: common.keepaliveIntervalMs,
    keepaliveTimeoutMs: common.keepaliveTimeoutMs,
    maxConnectionAgeMs: common.keepaliveMaxServerConnectionAgeMs,
  };
}

export function grpcServerSettings({ discovery, common, environment }: Options): GrpcListenerSettings {
  return {
    ...(discovery.grpcAddr ?? CLOSED),
    ...connectionTimes(common),
    maxConcurrentStreams: environment.meshGprcMaxStreams,
    maxReceiveMessageBytes: environment.meshGprcMaxRecvMsgSizeBytes,
  };
}

/** The secured listener's address, with the limits of the plaintext listener. */
export function secureGrpcSettings(options: Options): GrpcListenerSettings {
  return { ...grpcServerSettings(options), ...options.discovery.secureGrpcAddr };
}

/** The policy server's address, with the limits of the plaintext listener. */
export function policyListenerSettings(options: Options): GrpcListenerSettings {
  return { ...grpcServerSettings(options), ...options.discovery.policyAddr };
}

export function storeSettings({ discovery, environment }: Options): MeshStoreSettings {
  return {
    domain: discovery.domain,
    clusterId: discovery.clusterId,
    meshDomain: environment.meshDomain,
    revision: environment.revision,
    trustDomain: discovery.trustDomain,
    useEndpointSlice: environment.navUseEndpointSlice,
    servicesSelectWorkloadEntries: environment.navEnableOrchSelectWorkloadEntries,
    serviceEntriesSelectPods: environment.navEnableServiceentrySelectPods,
    edsForHeadlessServices: environment.navEnableEdsForHeadlessServices,
    virtualServiceDelegates: environment.navEnableVirtualServiceDelegate,
    ingressNamespace: environment.orchIngressNs,
    ignoresAuthentications: !discovery.plugins.includes('authn'),
    ...(environment.navEnabledServiceApis
      ? {
          gatewayApi: {
            controllerName: gatewayControllerName(environment.meshDomain),
            ingressNamespace: environment.orchIngressNs,
            regexLimits: regexLimitsOf(environment),
          },
        }
      : {}),
  };
}

/** Limits of the HTTP and HTTPS listeners. */
export function httpServerSettings({ environment }: Options): Required<Pick<HttpServerOptions, 'timeouts' | 'limits'>> {
  return {
    timeouts: { headersMs: environment.navHttpHeadersTimeoutMs, idleMs: environment.navHttpIdleTimeoutMs },
    limits: {
      maxConnections: environment.navHttpMaxConnections,
      maxConnectionsPerPeer: environment.navHttpMaxConnectionsPerPeer,
    },
  };
}

/** Which statuses are written into the cluster, and how often. */
export function statusSettings({ discovery, environment }: Options): StatusSettings {
  return {
    hasConditions: environment.navEnableStatus,
    hasMessages: environment.navEnableAnalysis,
    isPluginOn: discovery.plugins.includes('policy'),
    perSecond: environment.navStatusQps,
    burst: environment.navStatusBurst,
    namespace: discovery.namespace,
    appNamespaces: discovery.appNamespaces,
    podName: environment.podName,
    pod: ownPod(discovery, environment),
    revision: environment.revision,
  };
}

/**
 * The pod of this process, as the owner of its reports. Kubernetes deletes an object whose owner is not in its
 * namespace, so there is an owner only if the pod is.
 */
function ownPod({ orchConfig, namespace }: Options['discovery'], environment: Options['environment']) {
  const { podName: name, podUid: uid, podNamespace } = environment;
  const isThere = orchConfig === '' && namespace === podNamespace && name !== '' && uid !== '';
  return isThere ? { name, uid } : undefined;
}

/** The variables and flags that change the configuration of proxies. */
export function generatorSettings(
  environment: Environment,
  {
    trustDomain,
    embeddedPolicyPort,
    policyServerIdentity,
  }: Pick<GeneratorSettings, 'trustDomain' | 'embeddedPolicyPort' | 'policyServerIdentity'>,
): GeneratorSettings {
  return {
    initialFetchTimeoutMs: environment.navInitialFetchTimeoutMs,
    http10: environment.navHttp10,
    traceSamplingPercent: environment.navTraceSamplingPercent,
    defaultRequestTimeoutMs: environment.meshDefaultRequestTimeoutMs,
    sidecarUseRemoteAddress: environment.navSidecarUseRemoteAddress,
    scopeGatewayToNamespace: environment.navScopeGatewayToNamespace,
    filterGatewayClusters: environment.navFilterGatewayClusterConfig,
    sniffInbound: environment.navEnableProtocolSniffingForInbound,
    sniffOutbound: environment.navEnableProtocolSniffingForOutbound,
    inboundProtocolDetectionTimeoutMs: environment.navInboundProtocolDetectionTimeoutMs,
    edsForHeadlessServices: environment.navEnableEdsForHeadlessServices,
    headlessPodListeners: environment.navEnableHeadlessServicePodListeners,
    keyValueFilter: environment.navEnableKeyvalueFilter,
    relationalDbFilter: environment.navEnableRelationaldbFilter,
    thriftFilter: environment.navEnableThriftFilter,
    trustDomain,
    skipTrustDomainValidation: environment.navSkipValidateTrustDomain,
    embeddedPolicyPort,
    ...(policyServerIdentity && { policyServerIdentity }),
  };
}

/** Parts of the heap limit that a limit of 0 means. */
const PEER_PART = 1 / 4;
const TOTAL_PART = 1 / 2;

/** @param heapLimitBytes the largest size of the JavaScript heap */
export function xdsLimits(environment: Environment, heapLimitBytes: number): XdsLimits {
  return {
    names: environment.navXdsMaxNames,
    streamNames: environment.navXdsMaxStreamNames,
    peerBytes: environment.navXdsMaxPeerBytes || Math.floor(heapLimitBytes * PEER_PART),
    totalBytes: environment.navXdsMaxBytes || Math.floor(heapLimitBytes * TOTAL_PART),
    peerStreams: environment.navXdsMaxPeerStreams,
    connectionStreams: environment.navXdsMaxConnectionStreams,
    unreadStreams: environment.navXdsMaxUnreadStreams,
    ackMs: environment.navXdsAckTimeoutMs,
    firstRequestMs: environment.navXdsFirstRequestTimeoutMs,
    requestsPerSecond: environment.navXdsRequestsPerSecond,
    nodeBytes: environment.navXdsMaxNodeBytes,
    restPolls: environment.navXdsRestMaxPolls,
    restBodyBytes: environment.navXdsRestMaxBodyBytes,
    clientStatusBytes: environment.navXdsClientStatusMaxBytes,
    loadSeries: environment.navLoadReportMaxSeries,
  };
}

/** An HTTP listener ends requests that are idle for NAV_HTTP_IDLE_TIMEOUT. */
const REST_PART_OF_IDLE = 0.9;

export function restSettings({ discovery, environment }: Options): RestSettings {
  const { navXdsRestPollTimeoutMs, navXdsRestLeaseMs, navHttpIdleTimeoutMs } = environment;
  return {
    pollMs: Math.min(navXdsRestPollTimeoutMs, navHttpIdleTimeoutMs * REST_PART_OF_IDLE),
    leaseMs: navXdsRestLeaseMs,
    maxMessageBytes: environment.meshGprcMaxRecvMsgSizeBytes,
    isOpen: discovery.grpcAddr !== undefined,
  };
}

export function regexLimitsOf(environment: RegexEnvironment): RegexLimits {
  return {
    ...policyRegexLimitsOf(environment),
    objectBytes: environment.navRegexObjectBytes,
    namespaceBytes: environment.navRegexNamespaceBytes,
  };
}

/** The limits that a policy server needs. */
export function policyRegexLimitsOf(environment: PolicyRegexEnvironment) {
  return {
    expressionBytes: environment.navRegexExpressionBytes,
    serviceBytes: environment.navRegexServiceBytes,
    messageBytes: environment.navRegexMessageBytes,
    programsBytes: environment.navRegexProgramsBytes,
  };
}

/** @param version of this build */
export function tracingSettings({ environment }: Options, version: string): TracingSettings {
  const { otelExporterOtlpEndpoint: base, otelExporterOtlpTracesEndpoint: own, otelResourceAttributes } = environment;
  const url = own === '' && base !== '' ? `${base.replace(/\/+$/, '')}/v1/traces` : own;
  return {
    url: environment.otelSdkDisabled ? '' : url,
    setting: own === '' ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    protocol: environment.otelExporterOtlpProtocol,
    headers: environment.otelExporterOtlpHeaders,
    timeoutMs: environment.otelExporterOtlpTimeoutMs,
    serviceVersion: version,
    resource: {
      'service.name': 'navigator-discovery',
      'service.version': version,
      ...(environment.podName && { 'service.instance.id': environment.podName }),
      ...otelResourceAttributes,
      ...(environment.otelServiceName && { 'service.name': environment.otelServiceName }),
    },
  };
}
