import type { AddressRange } from '../config/injection/captured-traffic.js';
import type { SettingsFields } from '../config/settings-reader.js';
import type { ExpressionLanguage } from '../expressions/expression-types.js';
import type { OtlpProtocol } from '../otlp/otlp-encoder.js';
import type { ListenAddress } from './options.js';

/** Bounds of the regular expressions in policies. */
export interface RegexEnvironment {
  readonly navRegexExpressionBytes: number;
  readonly navRegexMessageBytes: number;
  readonly navRegexNamespaceBytes: number;
  readonly navRegexObjectBytes: number;
  readonly navRegexProgramsBytes: number;
  readonly navRegexServiceBytes: number;
}

/** The limits that a policy server needs, which reads no objects. */
export type PolicyRegexEnvironment = Omit<RegexEnvironment, 'navRegexNamespaceBytes' | 'navRegexObjectBytes'>;

/**
 * Environment variables (docs/configuration.md#environment-variables), in camelCase with units. A text that is not set
 * is empty.
 */
export interface Environment extends RegexEnvironment {
  readonly audience: string;
  readonly bypassOopMtlsSanVerification: boolean;
  readonly centralMeshd: boolean;
  readonly caEnableJitterForRootCertRotator: boolean;
  readonly caSelfSignedCaCertTtlMs: number;
  readonly caSelfSignedCaRsaKeySizeBits: number;
  /** Zero or a negative value turns check and rotation off. */
  readonly caSelfSignedRootCertCheckIntervalMs: number;
  readonly caSelfSignedRootCertGracePeriodPercentile: number;
  /** Use DiscoveryFlags.clusterId instead, which includes the flag. */
  readonly clusterId: string;
  readonly defaultWorkloadCertTtlMs: number;
  /** Undefined: the listener is closed. */
  readonly dnsAddr: ListenAddress | undefined;
  readonly dnsAgent: string;
  /** A server that is asked over TLS. Undefined: the servers of the system's resolver settings. */
  readonly dnsServer: ListenAddress | undefined;
  readonly navDnsAnswersPerSecond: number;
  readonly navDnsCacheBytes: number;
  readonly navDnsClientAnswersPerSecond: number;
  readonly navDnsMaxConnections: number;
  readonly navDnsMaxQueries: number;
  readonly navDnsServerCaFile: string;
  readonly navDnsTcpIdleTimeoutMs: number;
  readonly navDnsTimeoutMs: number;
  readonly enableCaServer: boolean;
  readonly injectionWebhookConfigName: string;
  readonly meshdCustomHost: string;
  /** 0 means no timeout. */
  readonly meshDefaultRequestTimeoutMs: number;
  readonly meshGprcMaxRecvMsgSizeBytes: number;
  readonly meshGprcMaxStreams: number;
  readonly meshLang: ExpressionLanguage;
  readonly jwtPolicy: string;
  readonly orchServiceHost: string;
  readonly maxWorkloadCertTtlMs: number;
  readonly navCertProvider: string;
  readonly navDebounceAfterMs: number;
  readonly navDebounceMaxMs: number;
  readonly navDistributionHistoryRetentionMs: number;
  /** Time during which an API server may be unreachable and its last listed service accounts count as existing. */
  readonly navAccountOutageLimitMs: number;
  /** Whether certificates are renewed only while their service account exists. */
  readonly navCheckServiceAccounts: boolean;
  /** Folder with one folder for each namespace, of whose files its handlers may name some. */
  readonly navAdapterCredentialsDir: string;
  /** Addresses that fetches may use although docs/security.md#what-navigator-guarantees excludes them. */
  readonly navEgressAllowed: readonly AddressRange[];
  /** How long the last fetched keys of a JWT issuer count. */
  readonly navJwksMaxAgeMs: number;
  readonly navJwksMaxNamespaceSources: number;
  readonly navJwksMaxSources: number;
  readonly navJwksRefreshIntervalMs: number;
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
  /** Use policyTlsMode instead, which resolves `auto`. */
  readonly navPolicyTls: 'auto' | 'plaintext' | 'permissive' | 'strict';
  readonly navPushThrottle: number;
  /** Service accounts of the control plane's namespace that may read the policies of all namespaces. */
  readonly navPolicyReaders: readonly string[];
  readonly navScopeGatewayToNamespace: boolean;
  readonly navSidecarUseRemoteAddress: boolean;
  readonly navSkipValidateTrustDomain: boolean;
  /** Failed callers of one address. */
  readonly navFailedCallersBurst: number;
  /** Failed callers of one address in a second. */
  readonly navFailedCallersRate: number;
  readonly navTokenReviewConcurrency: number;
  readonly navTokenReviewQueue: number;
  readonly navTokenReviewWaitMs: number;
  readonly navStatusBurst: number;
  readonly navStatusQps: number;
  /** 0 to 100 in steps of 0.01; a value out of range has become 100 (docs/reference/xds.md#http-connection-manager). */
  readonly navTraceSamplingPercent: number;
  readonly navUseEndpointSlice: boolean;
  /** 0 means that a response waits without limit for the acknowledgement of the former one. */
  readonly navLoadReportIntervalMs: number;
  /** Empty: no traces, unless `otelExporterOtlpTracesEndpoint` is set. */
  readonly otelExporterOtlpEndpoint: string;
  /** By lower-case name. */
  readonly otelExporterOtlpHeaders: Readonly<Record<string, string>>;
  readonly otelExporterOtlpProtocol: OtlpProtocol;
  readonly otelExporterOtlpTimeoutMs: number;
  readonly otelExporterOtlpTracesEndpoint: string;
  readonly otelResourceAttributes: Readonly<Record<string, string>>;
  readonly otelSdkDisabled: boolean;
  readonly otelServiceName: string;
  readonly navLoadReportMaxSeries: number;
  readonly navXdsAckTimeoutMs: number;
  readonly navXdsClientStatusMaxBytes: number;
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
  readonly navXdsRestLeaseMs: number;
  readonly navXdsRestMaxBodyBytes: number;
  readonly navXdsRestMaxPolls: number;
  readonly navXdsRestPollTimeoutMs: number;
  /** Use DiscoveryFlags.namespace instead, which includes the flag. */
  readonly podNamespace: string;
  readonly navCredentialsDir: string;
  readonly rootCaDir: string;
  readonly spiffeBundleEndpoints: string;
  readonly terminationDrainDurationSeconds: number;
  readonly tokenIssuer: string;
  /** `${namespace}` is replaced by the control plane's namespace. */
  readonly validationWebhookConfigName: string;
  readonly xdsAuth: boolean;
  readonly ingressGatewayNamespace: string;
  readonly meshMetricsAnnotations: string;
  readonly navDebugAdszConfig: boolean;
  readonly navHttpHeadersTimeoutMs: number;
  readonly navHttpIdleTimeoutMs: number;
  readonly navHttpMaxConnections: number;
  readonly navHttpMaxConnectionsPerPeer: number;
  /** Defaults of the installation for fields that the users' mesh config does not set. */
  readonly navMeshConfigDefaults: SettingsFields;
  readonly navMetricsMinIntervalMs: number;
  /** Defaults of the installation for fields that the users' policy configuration does not set. */
  readonly navPolicyConfigDefaults: SettingsFields;
  readonly navWebhookBodyBytes: number;
  /** PEM file; empty: the root certificates come from the cluster. */
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
   * Mesh domain of API groups, labels and annotations (docs/reference/README.md#mesh-domain). Default `mesh.internal`.
   */
  readonly meshDomain: string;
}
