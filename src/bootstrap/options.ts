import type { AddressRange } from '../config/injection/captured-traffic.js';
import type { SettingsFields } from '../config/settings-reader.js';
import type { GrpcLimits } from '../net/guard/grpc-limits.js';
import type { LoggingOptions } from '../telemetry/logging-options.js';

/** Where a listener binds. */
export interface ListenAddress {
  /** An IP address or host name; empty for every interface. IPv6 without brackets. */
  readonly host: string;
  /** 0 to 65535; 0 lets the system choose. */
  readonly port: number;
}

/** Platform service registries (docs/configuration.md#flags-of-discovery, --registries). */
export const REGISTRY_NAMES = ['Orchestrator', 'Catalog', 'Mock'] as const;
export type RegistryName = (typeof REGISTRY_NAMES)[number];

/**
 * Networking plugins (docs/configuration.md#flags-of-discovery, --plugins); `health` does nothing
 * (docs/reference/policy-client.md#policy-plugin).
 */
export const PLUGIN_NAMES = ['authn', 'authz', 'health', 'policy'] as const;
export type PluginName = (typeof PLUGIN_NAMES)[number];

/** Flags of the `discovery` command (docs/configuration.md#flags-of-discovery). Text that is not set is empty. */
export interface DiscoveryFlags {
  /**
   * Namespaces to watch, with the control plane's own appended (docs/reference/sources.md#selection); empty means all.
   */
  readonly appNamespaces: readonly string[];
  readonly caCertFile: string;
  /** --clusterID when given, else CLUSTER_ID, else `Orchestrator`. */
  readonly clusterId: string;
  readonly clusterRegistriesNamespace: string;
  /** Folder of configuration files; empty when there is none. */
  readonly configDir: string;
  readonly catalogServerUrl: string;
  /** DNS suffix of services. Default `cluster.local`. */
  readonly domain: string;
  /** Undefined: closed. */
  readonly grpcAddr: ListenAddress | undefined;
  readonly httpAddr: ListenAddress;
  readonly httpsAddr: ListenAddress;
  readonly orchConfig: string;
  readonly mcpInitialConnWindowSizeBytes: number;
  readonly mcpInitialWindowSizeBytes: number;
  readonly mcpMaxMsgSizeBytes: number;
  /** A missing file means the defaults (docs/reference/mesh-config.md#defaults). Default `./etc/mesh/config/mesh`. */
  readonly meshConfigFile: string;
  readonly monitoringAddr: ListenAddress;
  /** The control plane's namespace: --namespace when given, else POD_NAMESPACE, else `mesh-system`. */
  readonly namespace: string;
  /** Default `/etc/mesh/config/meshNetworks`. */
  readonly networksConfigFile: string;
  /** In the order given, which is filter order. */
  readonly plugins: readonly PluginName[];
  /** Where the policy server in this process answers proxies. */
  readonly policyAddr: ListenAddress;
  /** The policy server's own configuration; a missing file means the defaults. */
  readonly policyConfigFile: string;
  readonly profile: boolean;
  /** One or more, without duplicates. */
  readonly registries: readonly RegistryName[];
  readonly resyncMs: number;
  readonly secureGrpcAddr: ListenAddress;
  readonly tlsCertFile: string;
  readonly tlsKeyFile: string;
  /** Empty means: of the mesh config. */
  readonly trustDomain: string;
}

/** Flags of `navigator-policy serve`, a policy server of its own process. Ours: the specification does not have it. */
export interface PolicyFlags {
  /** `host:port` of the discovery server's gRPC. Default `meshd.mesh-system.svc:15012`. */
  readonly discoveryAddress: string;
  /** PEM files, read anew at each connection. Empty: none. */
  readonly discoveryClientCertFile: string;
  readonly discoveryClientKeyFile: string;
  /** PEM file of the roots that the discovery server's certificate must have. Empty: plaintext. */
  readonly discoveryRootCertFile: string;
  /** Empty: the host of `discoveryAddress`. */
  readonly discoveryServerName: string;
  /** A file with a bearer token, read anew at each connection. Empty: none. */
  readonly discoveryTokenFile: string;
  /** DNS suffix of services. Default `cluster.local`. */
  readonly domain: string;
  readonly monitoringAddr: ListenAddress;
  /** The process's own namespace: --namespace when given, else POD_NAMESPACE, else `mesh-system`. */
  readonly namespace: string;
  readonly policyAddr: ListenAddress;
  /** How callers connect; without --discoveryRootCert in plaintext. Default `permissive`. */
  readonly policyTls: 'plaintext' | 'permissive' | 'strict';
  /** A missing file means the defaults. Default `./etc/mesh/config/policy`. */
  readonly policyConfigFile: string;
}

/** Flags of every command (docs/configuration.md#flags-of-every-command). */
export interface CommonFlags extends LoggingOptions, GrpcLimits {
  /** Host name or address; `*` for all. */
  readonly introspectAddress: string;
  readonly introspectPort: number;
  /** How long no call may have come to the policy server before it stops. Default 5 s in a cluster, 0 outside. */
  readonly drainTimeMs: number;
  /** How long that is waited for at most. Default 25 s. */
  readonly drainTimeoutMs: number;
  readonly keepaliveIntervalMs: number;
  /** Longer than a timer can wait (2^31 - 1 ms) means without limit; so does the default, 2562047h47m16.854775807s. */
  readonly keepaliveMaxServerConnectionAgeMs: number;
  readonly keepaliveTimeoutMs: number;
}

/** Bounds of the regular expressions in policies. */
export interface RegexEnvironment {
  readonly navRegexExpressionBytes: number;
  readonly navRegexMessageBytes: number;
  readonly navRegexNamespaceBytes: number;
  readonly navRegexObjectBytes: number;
  readonly navRegexProgramsBytes: number;
  readonly navRegexServiceBytes: number;
}

/** Those that a policy server needs, which reads no objects. */
export type PolicyRegexEnvironment = Omit<RegexEnvironment, 'navRegexNamespaceBytes' | 'navRegexObjectBytes'>;

/** A listener that takes connections of this machine alone, for nothing says otherwise. */
export interface LoopbackDefault {
  /** The flag that changes it, such as `--httpAddr`. */
  readonly flag: string;
  readonly port: number;
}

/**
 * Environment variables (docs/configuration.md#environment-variables), camelCase with units. Text that is not set is
 * empty.
 */
export interface Environment extends RegexEnvironment {
  readonly audience: string;
  readonly bypassOopMtlsSanVerification: boolean;
  readonly centralMeshd: boolean;
  readonly caEnableJitterForRootCertRotator: boolean;
  readonly caSelfSignedCaCertTtlMs: number;
  readonly caSelfSignedCaRsaKeySizeBits: number;
  /** Zero or negative turns check and rotation off. */
  readonly caSelfSignedRootCertCheckIntervalMs: number;
  readonly caSelfSignedRootCertGracePeriodPercentile: number;
  /** Read DiscoveryFlags.clusterId instead, which takes the flag into account. */
  readonly clusterId: string;
  readonly defaultWorkloadCertTtlMs: number;
  readonly dnsAddr: ListenAddress;
  readonly dnsAgent: string;
  readonly dnsServer: string;
  readonly enableCaServer: boolean;
  readonly injectionWebhookConfigName: string;
  readonly meshdCustomHost: string;
  /** 0 means no timeout. */
  readonly meshDefaultRequestTimeoutMs: number;
  readonly meshGprcMaxRecvMsgSizeBytes: number;
  readonly meshGprcMaxStreams: number;
  readonly meshLang: string;
  readonly jwtPolicy: string;
  readonly orchServiceHost: string;
  readonly maxWorkloadCertTtlMs: number;
  readonly navCertProvider: string;
  readonly navDebounceAfterMs: number;
  readonly navDebounceMaxMs: number;
  readonly navDistributionHistoryRetentionMs: number;
  /** Exceptions from the rules of docs/security.md#what-navigator-guarantees for fetched documents. */
  /** How long an API server may be unreachable while the service accounts it listed last count as existing. */
  readonly navAccountOutageLimitMs: number;
  /** Certificates are renewed while their service account exists. */
  readonly navCheckServiceAccounts: boolean;
  readonly navEgressAllowed: readonly AddressRange[];
  readonly navEnabledServiceApis: boolean;
  readonly navEnableAnalysis: boolean;
  readonly navEnableConfigDistributionTracking: boolean;
  readonly navEnableCrdValidation: boolean;
  readonly navEnableEdsDebounce: boolean;
  readonly navEnableEdsForHeadlessServices: boolean;
  readonly navEnableHeadlessServicePodListeners: boolean;
  readonly navEnableIncrementalMcp: boolean;
  readonly navEnableOrchSelectWorkloadEntries: boolean;
  readonly navEnableRelationaldbFilter: boolean;
  readonly navEnableProtocolSniffingForInbound: boolean;
  readonly navEnableProtocolSniffingForOutbound: boolean;
  readonly navEnableKeyvalueFilter: boolean;
  readonly navEnableServiceentrySelectPods: boolean;
  readonly navEnableStatus: boolean;
  readonly navEnableTcpMetadataExchange: boolean;
  readonly navEnableThriftFilter: boolean;
  readonly navEnableVirtualServiceDelegate: boolean;
  readonly navHttp10: boolean;
  readonly navInboundProtocolDetectionTimeoutMs: number;
  /** 0 means that the proxy waits without limit. */
  readonly navInitialFetchTimeoutMs: number;
  /** Read policyTlsMode instead, which decides what `auto` is. */
  readonly navPolicyTls: 'auto' | 'plaintext' | 'permissive' | 'strict';
  readonly navPushThrottle: number;
  /** Service accounts of the control plane's namespace that may read the policies of all namespaces. */
  readonly navPolicyReaders: readonly string[];
  readonly navScopeGatewayToNamespace: boolean;
  readonly navSidecarUseRemoteAddress: boolean;
  readonly navSkipValidateTrustDomain: boolean;
  /** Of one address. */
  readonly navFailedCallersBurst: number;
  /** Of one address, a second. */
  readonly navFailedCallersRate: number;
  readonly navTokenReviewConcurrency: number;
  readonly navTokenReviewQueue: number;
  readonly navTokenReviewWaitMs: number;
  readonly navStatusBurst: number;
  readonly navStatusQps: number;
  /**
   * 0 to 100 in steps of 0.01; what was out of range has become 100 (docs/reference/xds.md#http-connection-manager).
   */
  readonly navTraceSamplingPercent: number;
  readonly navUseEndpointSlice: boolean;
  /** 0 means that a response waits for ever for the acknowledgement of the one before. */
  readonly navXdsAckTimeoutMs: number;
  readonly navXdsFirstRequestTimeoutMs: number;
  /** 0 means half of the heap limit. */
  readonly navXdsMaxBytes: number;
  readonly navXdsMaxConnectionStreams: number;
  readonly navXdsMaxNames: number;
  readonly navXdsMaxNodeBytes: number;
  /** 0 means a quarter of the heap limit. */
  readonly navXdsMaxPeerBytes: number;
  readonly navXdsMaxPeerStreams: number;
  readonly navXdsMaxStreamNames: number;
  readonly navXdsMaxUnreadStreams: number;
  readonly navXdsRequestsPerSecond: number;
  /** Read DiscoveryFlags.namespace instead, which takes the flag into account. */
  readonly podNamespace: string;
  readonly rootCaDir: string;
  readonly spiffeBundleEndpoints: string;
  readonly terminationDrainDurationSeconds: number;
  readonly tokenIssuer: string;
  /** `${namespace}` has been replaced by the control plane's namespace. */
  readonly validationWebhookConfigName: string;
  readonly xdsAuth: boolean;
  readonly ingressGatewayNamespace: string;
  readonly meshMetricsAnnotations: string;
  readonly navDebugAdszConfig: boolean;
  readonly navHttpHeadersTimeoutMs: number;
  readonly navHttpIdleTimeoutMs: number;
  readonly navHttpMaxConnections: number;
  readonly navHttpMaxConnectionsPerPeer: number;
  /** Of the mesh config: what the installation sets where the file or ConfigMap of users does not. */
  readonly navMeshConfigDefaults: SettingsFields;
  readonly navMetricsMinIntervalMs: number;
  /** The same for the policy server's file. */
  readonly navPolicyConfigDefaults: SettingsFields;
  readonly navWebhookBodyBytes: number;
  /** PEM file; empty: the cluster is asked. */
  readonly navWebhookClientCaFile: string;
  readonly navWebhookParsedBytes: number;
  readonly navWebhookQueueTimeoutMs: number;
  readonly navFilterGatewayClusterConfig: boolean;
  readonly orchIngressNs: string;
  readonly podName: string;
  /** UID of the pod of this process; empty outside of a pod. */
  readonly podUid: string;
  readonly revision: string;
  readonly secretWatcherResyncPeriod: string;
  /**
   * Mesh domain `D` of API groups, labels and annotations (docs/reference/README.md#mesh-domain). Default
   * `mesh.internal`.
   */
  readonly meshDomain: string;
}

/** A setting that a user gave and that does nothing yet. */
export interface UnimplementedSetting {
  /** `--name` of a flag or NAME of a variable. */
  readonly setting: string;
  /** As the user wrote it. */
  readonly value: string;
  readonly why: string;
}

/** A value that was accepted but not taken as written: log it at start. */
export interface SettingWarning {
  readonly setting: string;
  readonly value: string;
  /** What was done instead. */
  readonly problem: string;
}

/** Everything the server is told from outside: parsed, checked and defaulted by src/cli. */
export interface Options {
  readonly discovery: DiscoveryFlags;
  readonly common: CommonFlags;
  readonly environment: Environment;
  /** Names (`--name` or NAME) of the settings that the user gave, so that a default can be told from a choice. */
  readonly explicit: ReadonlySet<string>;
  /** To be named in one warning at start. */
  readonly unimplemented: readonly UnimplementedSetting[];
  readonly warnings: readonly SettingWarning[];
  /** Outside a cluster: to be told in one line at start. */
  readonly loopback: readonly LoopbackDefault[];
}

/** Everything that a policy server of its own process is told from outside. */
export interface PolicyOptions {
  readonly policy: PolicyFlags;
  readonly common: CommonFlags;
  readonly metricsMinIntervalMs: number;
  /** See Environment.navPolicyConfigDefaults. */
  readonly policyConfigDefaults: SettingsFields;
  readonly regexes: PolicyRegexEnvironment;
  /** To be named in one warning at start. */
  readonly unimplemented: readonly UnimplementedSetting[];
  readonly warnings: readonly SettingWarning[];
  /** Outside a cluster: to be told in one line at start. */
  readonly loopback: readonly LoopbackDefault[];
}
