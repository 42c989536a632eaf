import type { AddressRange } from '../config/injection/captured-traffic.js';
import type { SettingsFields } from '../config/settings-reader.js';
import type { GrpcLimits } from '../net/guard/grpc-limits.js';
import type { LoggingOptions } from '../telemetry/logging-options.js';
import type { Environment, PolicyRegexEnvironment } from './environment.js';

/** The address of a listener. */
export interface ListenAddress {
  /** An IP address or host name; empty for every interface. IPv6 without brackets. */
  readonly host: string;
  /** 0 to 65535; 0 lets the system choose. */
  readonly port: number;
}

/** Platform service registries (--registries). */
export const REGISTRY_NAMES = ['Orchestrator', 'Catalog', 'Mock'] as const;
export type RegistryName = (typeof REGISTRY_NAMES)[number];

/** Networking plugins (--plugins); `health` does nothing (docs/reference/policy-client.md#policy-plugin). */
export const PLUGIN_NAMES = ['authn', 'authz', 'health', 'policy'] as const;
export type PluginName = (typeof PLUGIN_NAMES)[number];

/** Flags of the `discovery` command (docs/configuration.md#flags-of-discovery). A text that is not set is empty. */
export interface DiscoveryFlags {
  /** Namespaces to watch, including the control plane's own (docs/reference/sources.md#selection); empty means all. */
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
  /** Undefined: the listener is closed. */
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
  /** Address of the policy server in this process. */
  readonly policyAddr: ListenAddress;
  /** Configuration of the policy server; a missing file means the defaults. */
  readonly policyConfigFile: string;
  readonly profile: boolean;
  /** One or more, without duplicates. */
  readonly registries: readonly RegistryName[];
  readonly resyncMs: number;
  readonly secureGrpcAddr: ListenAddress;
  readonly tlsCertFile: string;
  readonly tlsKeyFile: string;
  /** Empty: the trust domain of the mesh config. */
  readonly trustDomain: string;
}

/** Flags of `navigator-policy serve`, a policy server in a process of its own. */
export interface PolicyFlags {
  /** `host:port` of the discovery server's gRPC. Default `meshd.mesh-system.svc:15012`. */
  readonly discoveryAddress: string;
  /** PEM files, read again for each connection. Empty: none. */
  readonly discoveryClientCertFile: string;
  readonly discoveryClientKeyFile: string;
  /** PEM file of root certificates for the discovery server's certificate. Empty: plaintext. */
  readonly discoveryRootCertFile: string;
  /** Empty: the host of `discoveryAddress`. */
  readonly discoveryServerName: string;
  /** A file with a bearer token, read again for each connection. Empty: none. */
  readonly discoveryTokenFile: string;
  /** DNS suffix of services. Default `cluster.local`. */
  readonly domain: string;
  readonly monitoringAddr: ListenAddress;
  /** The process's own namespace: --namespace when given, else POD_NAMESPACE, else `mesh-system`. */
  readonly namespace: string;
  readonly policyAddr: ListenAddress;
  /** How callers connect; plaintext without --discoveryRootCert. Default `permissive`. */
  readonly policyTls: 'plaintext' | 'permissive' | 'strict';
  /** A missing file means the defaults. Default `./etc/mesh/config/policy`. */
  readonly policyConfigFile: string;
}

/** Flags of every command (docs/configuration.md#flags-of-every-command). */
export interface CommonFlags extends LoggingOptions, GrpcLimits {
  /** Host name or address; `*` for all. */
  readonly introspectAddress: string;
  readonly introspectPort: number;
  /** Time without a call of the policy server after which the drain ends. Default 5 s in a cluster, 0 outside. */
  readonly drainTimeMs: number;
  /** Longest duration of a drain. Default 25 s. */
  readonly drainTimeoutMs: number;
  readonly keepaliveIntervalMs: number;
  /**
   * A value longer than a timer can wait (2^31 - 1 ms) means no limit, as does the default 2562047h47m16.854775807s.
   */
  readonly keepaliveMaxServerConnectionAgeMs: number;
  readonly keepaliveTimeoutMs: number;
}

/** A listener that accepts connections of this machine only, because no flag says otherwise. */
export interface LoopbackDefault {
  /** The flag that changes it, such as `--httpAddr`. */
  readonly flag: string;
  readonly port: number;
}

/** A setting of the user that does nothing yet. */
export interface UnimplementedSetting {
  /** `--name` of a flag or NAME of a variable. */
  readonly setting: string;
  /** As the user wrote it. */
  readonly value: string;
  readonly why: string;
}

/** A value that was accepted but is not used as written. It is logged at the start. */
export interface SettingWarning {
  readonly setting: string;
  /** Absent if no setting has the name: the value may be a secret of another program. */
  readonly value?: string;
  /** The problem, and the value in its place or the remedy. */
  readonly problem: string;
}

/** All settings of the discovery server: parsed, checked and defaulted by src/cli. */
export interface Options {
  readonly discovery: DiscoveryFlags;
  readonly common: CommonFlags;
  readonly environment: Environment;
  /** Names (`--name` or NAME) of the settings that the user gave, which differ from defaults of the same value. */
  readonly explicit: ReadonlySet<string>;
  /** Named in one warning at the start. */
  readonly unimplemented: readonly UnimplementedSetting[];
  readonly warnings: readonly SettingWarning[];
  /** Listeners that are open to this machine only, named in one line at the start. */
  readonly loopback: readonly LoopbackDefault[];
}

/** All settings of a policy server in a process of its own. */
export interface PolicyOptions {
  readonly policy: PolicyFlags;
  readonly common: CommonFlags;
  readonly metricsMinIntervalMs: number;
  /** BYPASS_OOP_MTLS_SAN_VERIFICATION */
  readonly bypassesBackendNames: boolean;
  /** NAV_EGRESS_ALLOWED */
  readonly egressAllowed: readonly AddressRange[];
  /** NAV_ADAPTER_CREDENTIALS_DIR */
  readonly adapterCredentials: string;
  /** See Environment.navPolicyConfigDefaults. */
  readonly policyConfigDefaults: SettingsFields;
  readonly regexes: PolicyRegexEnvironment;
  /** To be named in one warning at start. */
  readonly unimplemented: readonly UnimplementedSetting[];
  readonly warnings: readonly SettingWarning[];
  /** Outside a cluster: to be told in one line at start. */
  readonly loopback: readonly LoopbackDefault[];
}

/** Flags of `grpc-agent`. */
export interface GrpcAgentFlags {
  readonly discoveryAddress: string;
  readonly discoveryRootCertFile: string;
  readonly discoveryServerName: string;
  readonly discoveryTokenFile: string;
  readonly output: string;
  /** Path; empty for none. */
  readonly xdsSocket: string;
  readonly readyAddr: ListenAddress;
}

/** All settings of the agent of a pod without a proxy. */
export interface GrpcAgentOptions {
  readonly agent: GrpcAgentFlags;
  readonly common: CommonFlags;
  readonly unimplemented: readonly UnimplementedSetting[];
  readonly warnings: readonly SettingWarning[];
  readonly loopback: readonly LoopbackDefault[];
}
