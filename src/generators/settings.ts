/**
 * The settings of docs/configuration.md#environment-variables that change the resources of sidecars and routers. Fixed
 * for the life of the process.
 */
export interface GeneratorSettings {
  /** NAV_INITIAL_FETCH_TIMEOUT; 0 lets the proxy wait for ever. */
  readonly initialFetchTimeoutMs: number;
  /** NAV_HTTP10: outbound HTTP listeners take HTTP/1.0. */
  readonly http10: boolean;
  /** NAV_TRACE_SAMPLING, 0 to 100. */
  readonly traceSamplingPercent: number;
  /** MESH_DEFAULT_REQUEST_TIMEOUT; 0 is no timeout. */
  readonly defaultRequestTimeoutMs: number;
  /** NAV_SIDECAR_USE_REMOTE_ADDRESS */
  readonly sidecarUseRemoteAddress: boolean;
  /** NAV_ENABLE_PROTOCOL_SNIFFING_FOR_INBOUND */
  readonly sniffInbound: boolean;
  /** NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND */
  readonly sniffOutbound: boolean;
  /** NAV_INBOUND_PROTOCOL_DETECTION_TIMEOUT */
  readonly inboundProtocolDetectionTimeoutMs: number;
  /** NAV_ENABLE_EDS_FOR_HEADLESS_SERVICES */
  readonly edsForHeadlessServices: boolean;
  /** NAV_ENABLE_HEADLESS_SERVICE_POD_LISTENERS */
  readonly headlessPodListeners: boolean;
  /** NAV_ENABLE_KEYVALUE_FILTER: the Redis proxy filter. */
  readonly keyValueFilter: boolean;
  /** NAV_ENABLE_RELATIONALDB_FILTER: the MySQL filter, which only contrib builds of Envoy have. Default false. */
  readonly relationalDbFilter?: boolean;
  /** NAV_ENABLE_THRIFT_FILTER */
  readonly thriftFilter: boolean;
  /** NAV_SCOPE_GATEWAY_TO_NAMESPACE: Gateways of a router's own namespace alone select it. */
  readonly scopeGatewayToNamespace: boolean;
  /** NAV_FILTER_GATEWAY_CLUSTER_CONFIG: routers get only clusters that their virtual services refer to. */
  readonly filterGatewayClusters: boolean;
  /** `--trust-domain`; empty: of the mesh config. */
  readonly trustDomain: string;
  /**
   * NAV_SKIP_VALIDATE_TRUST_DOMAIN: workloads accept clients of any trust domain whose certificate a trusted root
   * signed.
   */
  readonly skipTrustDomainValidation: boolean;
  /**
   * Identity of the policy server in this process for mutual TLS, in the trust domain of the mesh. Absent where proxies
   * call it in plaintext (NAV_POLICY_TLS).
   */
  readonly policyServerIdentity?: { readonly namespace: string; readonly serviceAccount: string };
  /** Port of the policy server in this process (--policyAddr). The server listens before any proxy is served. */
  readonly embeddedPolicyPort: () => number;
}
