import type { Environment } from '../../../bootstrap/environment.js';
import { bool, duration, samplingPercent } from '../../values/scalar-types.js';
import { awaits, UNIMPLEMENTED, type VariableTable } from '../setting.js';

const notNegative = duration({ minNs: 0n });

/** Variables of the configuration of proxies. */
export const proxyVariables = {
  meshDefaultRequestTimeoutMs: {
    name: 'MESH_DEFAULT_REQUEST_TIMEOUT',
    type: notNegative,
    default: '0s',
    meaning: 'Default HTTP and gRPC request timeout; 0 means none',
  },
  navEnableEdsForHeadlessServices: {
    name: 'NAV_ENABLE_EDS_FOR_HEADLESS_SERVICES',
    type: bool,
    default: 'false',
    meaning: 'Sends endpoints over EDS for headless services, so that the sidecar balances between pods',
  },
  navEnableHeadlessServicePodListeners: {
    name: 'NAV_ENABLE_HEADLESS_SERVICE_POD_LISTENERS',
    type: bool,
    default: 'true',
    meaning:
      'Generates an outbound listener for each pod of a headless service or stateful set; disable it if such services have many pods',
  },
  navEnableRelationaldbFilter: {
    name: 'NAV_ENABLE_RELATIONALDB_FILTER',
    type: bool,
    default: 'false',
    meaning:
      'Injects the relational-database network filter into the filter chain of ports with the protocol mysql. All proxies must be contrib builds of Envoy: others reject these listeners',
  },
  navEnableProtocolSniffingForInbound: {
    name: 'NAV_ENABLE_PROTOCOL_SNIFFING_FOR_INBOUND',
    type: bool,
    default: 'true',
    meaning: 'Protocol sniffing on inbound listeners whose port protocol is unspecified or unsupported',
  },
  navEnableProtocolSniffingForOutbound: {
    name: 'NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND',
    type: bool,
    default: 'true',
    meaning: 'Protocol sniffing on outbound listeners whose port protocol is unspecified or unsupported',
  },
  navEnableKeyvalueFilter: {
    name: 'NAV_ENABLE_KEYVALUE_FILTER',
    type: bool,
    default: 'false',
    meaning: 'Injects the key-value-store network filter into the filter chain',
  },
  navEnableTcpMetadataExchange: {
    name: 'NAV_ENABLE_TCP_METADATA_EXCHANGE',
    type: bool,
    default: 'true',
    meaning: 'Enables TCP metadata exchange using ALPN and network metadata exchange filters',
    unimplemented: awaits(UNIMPLEMENTED.metadataExchange, false),
  },
  navEnableThriftFilter: {
    name: 'NAV_ENABLE_THRIFT_FILTER',
    type: bool,
    default: 'false',
    meaning: 'Injects the Thrift network filter into the filter chain',
  },
  navEnableVirtualServiceDelegate: {
    name: 'NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE',
    type: bool,
    default: 'false',
    meaning: 'Merges virtual services with delegates; if false, a virtual service with a delegate is ignored',
  },
  navFilterGatewayClusterConfig: {
    name: 'NAV_FILTER_GATEWAY_CLUSTER_CONFIG',
    type: bool,
    default: 'false',
    meaning: 'Routers get only the clusters that their virtual services reference',
  },
  navHttp10: {
    name: 'NAV_HTTP10',
    type: bool,
    default: 'false',
    meaning: 'Allows HTTP 1.0 in outbound HTTP listeners',
  },
  navInboundProtocolDetectionTimeoutMs: {
    name: 'NAV_INBOUND_PROTOCOL_DETECTION_TIMEOUT',
    type: notNegative,
    default: '1s',
    meaning: 'Protocol detection timeout for inbound listeners',
  },
  navInitialFetchTimeoutMs: {
    name: 'NAV_INITIAL_FETCH_TIMEOUT',
    type: notNegative,
    default: '0s',
    meaning:
      'Maximum time that a proxy waits for its first configuration (initial_fetch_timeout); after it, the proxy continues to start; 0 means no limit',
  },
  navScopeGatewayToNamespace: {
    name: 'NAV_SCOPE_GATEWAY_TO_NAMESPACE',
    type: bool,
    default: 'false',
    meaning: 'A gateway workload selects only gateway resources in its own namespace',
  },
  navSidecarUseRemoteAddress: {
    name: 'NAV_SIDECAR_USE_REMOTE_ADDRESS',
    type: bool,
    default: 'false',
    meaning: 'Sets useRemoteAddress to true for sidecar outbound listeners',
  },
  navTraceSamplingPercent: {
    name: 'NAV_TRACE_SAMPLING',
    type: samplingPercent,
    default: '100',
    meaning:
      'Mesh-wide trace sampling percentage, 0.0 to 100.0 with precision 0.01; 100 is not recommended for production',
  },
} as const satisfies Partial<VariableTable<Environment>>;
