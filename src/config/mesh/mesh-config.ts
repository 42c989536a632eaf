import type { LocalityLbSetting } from '../networking/locality-lb-setting.js';

/**
 * The mesh config in the control plane, with defaults, and with durations in milliseconds
 * (docs/reference/mesh-config.md#defaults). mesh-config-schema.ts describes the file.
 */
export interface MeshConfig {
  readonly proxyListenPort: number;
  /** Port of an explicit HTTP forward proxy in each sidecar; 0 for none. */
  readonly proxyHttpPort: number;
  readonly connectTimeoutMs: number;
  readonly protocolDetectionTimeoutMs: number;
  /** Class of the Ingress objects that the mesh serves. */
  readonly ingressClass: string;
  /** Service in ORCH_INGRESS_NS whose addresses are written into the status of Ingresses. */
  readonly ingressService: string;
  readonly ingressControllerMode: 'OFF' | 'DEFAULT' | 'STRICT';
  /** Value of the label `app` of the routers that serve Ingresses. */
  readonly ingressSelector: string;
  readonly enableTracing: boolean;
  /** Path, or empty for none. */
  readonly accessLogFile: string;
  readonly accessLogFormat: string;
  readonly accessLogEncoding: 'TEXT' | 'JSON';
  readonly outboundTrafficPolicy: 'ALLOW_ANY' | 'REGISTRY_ONLY';
  readonly enableAutoMtls: boolean;
  /** Sidecars without a choice of their own learn clusters and virtual hosts when their workload calls them. */
  readonly onDemand: boolean;
  readonly trustDomain: string;
  readonly trustDomainAliases: readonly string[];
  readonly rootNamespace: string;
  /** The namespaces that ServiceEntries of a cluster affect, except those of the root namespace. */
  readonly serviceEntryScope: 'GUARDED' | 'OWN_NAMESPACE' | 'ALL_NAMESPACES';
  /** The callers whose requests VirtualServices of a cluster route, except those of the root namespace. */
  readonly virtualServiceScope: 'GUARDED' | 'ALL_NAMESPACES';
  readonly defaultServiceExportTo: readonly string[];
  readonly defaultVirtualServiceExportTo: readonly string[];
  readonly defaultDestinationRuleExportTo: readonly string[];
  readonly dnsRefreshRateMs: number;
  /** How callers choose among localities, where no DestinationRule says. */
  readonly localityLb: LocalityLbSetting;
  readonly enablePrometheusMerge: boolean;
  readonly h2UpgradePolicy: 'DO_NOT_UPGRADE' | 'UPGRADE';
  readonly inboundClusterStatName: string;
  readonly outboundClusterStatName: string;
  /** Hosts, exact or with `*.`, whose requests go only to endpoints of the proxy's own cluster. */
  readonly clusterLocalHosts: readonly string[];
  readonly policy: PolicyMeshConfig;
  readonly defaultConfig: ProxyConfig;
}

/** The part of the mesh config that the policy plugin reads (docs/reference/mesh-config.md#policy-settings). */
export interface PolicyMeshConfig {
  readonly mixerCheckServer: string;
  readonly mixerReportServer: string;
  readonly disablePolicyChecks: boolean;
  readonly policyCheckFailOpen: boolean;
  readonly disableMixerHttpReports: boolean;
  readonly enableClientSidePolicyCheck: boolean;
  readonly sidecarToTelemetrySessionAffinity: boolean;
  /** How Envoys ask the policy server about requests; about connections always over gRPC. */
  readonly policyCheckProtocol: 'HTTP' | 'GRPC';
  /** The namespaces that bindings of a cluster affect, except those of the root namespace. */
  readonly policyBindingScope: 'GRANTED_NAMESPACES' | 'ALL_NAMESPACES';
  readonly reportBatchMaxEntries: number;
  /** 0 means one second, the default of the client. */
  readonly reportBatchMaxTimeMs: number;
  /** At least 1000. */
  readonly reportIntervalMs: number;
  /** At least 1000. */
  readonly statsUpdateIntervalMs: number;
}

/** `defaultConfig`: the settings with which proxies start. */
export interface ProxyConfig {
  readonly configPath: string;
  readonly serviceCluster: string;
  readonly drainDurationMs: number;
  readonly parentShutdownDurationMs: number;
  readonly terminationDrainDurationMs: number;
  readonly proxyAdminPort: number;
  readonly concurrency: number;
  readonly controlPlaneAuthPolicy: string;
  readonly discoveryAddress: string;
  /** Zipkin collector, `host:port`; empty for none. */
  readonly tracingAddress: string;
  readonly statNameLength: number;
  readonly statusPort: number;
}
