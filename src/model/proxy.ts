import type { WithheldPatch } from './patches/withheld-patch.js';
import type { QuotaShapes } from './policy/fast/quota-shapes.js';
import type { PolicyOverrides } from './policy/read-policy-overrides.js';
import type { Port, Service } from './service.js';

export type ProxyType = 'sidecar' | 'router';

export type InterceptionMode = 'REDIRECT' | 'TPROXY' | 'NONE';

/**
 * Node metadata that changes the resources of a proxy (docs/reference/xds.md#node). Absent keys are absent here too.
 */
export interface ProxyMetadata {
  readonly meshVersion?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly instanceIps: readonly string[];
  readonly namespace?: string;
  readonly interceptionMode: InterceptionMode;
  readonly serviceAccount?: string;
  readonly clusterId?: string;
  readonly network?: string;
  /** Networks whose endpoints the proxy requests; empty for all. */
  readonly requestedNetworkView: readonly string[];
  readonly idleTimeoutMs?: number;
  readonly http10?: boolean;
  readonly dnsCapture?: boolean;
  /** Whether it learns virtual hosts and clusters when a request needs them. Default: as the mesh config says. */
  readonly onDemand?: boolean;
  readonly generator?: string;
  /** Instance in the client's bootstrap that provides certificates and roots to a client without proxy. */
  readonly certificateProvider?: string;
  readonly routerMode?: string;
  readonly meshId?: string;
  /** Where a policy server counts quotas. Each `memory` counts for itself. */
  readonly quotaCounters?: 'memory' | 'shared';
  /** The forms of a policy server's limits. */
  readonly quotaShapes?: QuotaShapes;
  /** Absent without overrides. */
  readonly policy?: PolicyOverrides;
  /** The keys whose values are texts, for the matches of EnvoyFilters; absent without such keys. */
  readonly texts?: Readonly<Record<string, string>>;
}

/**
 * A service port that the workload of the proxy serves. The workloads of one deployment share the same target objects,
 * so a target has no facts about the single workload.
 */
export interface ServiceTarget {
  readonly service: Service;
  readonly port: Port;
  /** The port that the workload listens on. */
  readonly targetPort: number;
}

/** A connected proxy, as described by its first request. */
export interface Proxy {
  /** The node id: `<sidecar|router>~<ip>~<name.ns>~<ns.svc.domain>`. */
  readonly id: string;
  readonly type: ProxyType;
  /** All addresses; that of the id comes first. */
  readonly ipAddresses: readonly string[];
  /** Workload name of the id's third part, without its namespace. */
  readonly name: string;
  /** Metadata NAMESPACE, else the first label of the DNS domain. */
  readonly configNamespace: string;
  /** For example `default.svc.cluster.local`. */
  readonly dnsDomain: string;
  /** `region/zone/subzone`, or empty. */
  readonly locality: string;
  /** Of the Envoy build, for example `1.40.0`; empty when it does not say. */
  readonly version: string;
  readonly metadata: ProxyMetadata;
  /**
   * Present for a gRPC library that configures itself over xDS without a proxy (docs/proxyless-grpc.md): node metadata
   * GENERATOR is `grpc`, or the user agent of the node says so.
   */
  readonly isProxyless?: true;
  /** Present for a client that gets configuration objects instead of Envoy's types: node metadata GENERATOR is `api`. */
  readonly isApiClient?: true;
  /** Present for a client that gets the debug types alone, as they change: node metadata GENERATOR is `event`. */
  readonly isEventClient?: true;
  /**
   * The configuration objects that such a client may read: all of them, or those of its namespace. The authentication of
   * the stream decides. Default: none.
   */
  readonly readsObjects?: 'all' | 'namespace';
  /**
   * Whether the control plane gives it a certificate, so that it can take and make mutual TLS: its stream is
   * authenticated, and there is a certificate authority. Node metadata does not decide this.
   */
  readonly hasSecrets: boolean;
  /**
   * Whether it gets the policies of all namespaces, as policy servers do, or those of its own namespace. Its proven
   * identity decides. Default true: a listener without authentication proves no identity.
   */
  readonly seesAllPolicies?: boolean;
  /** Whether its stream speaks delta xDS. Node metadata does not decide this. Default false. */
  readonly speaksDelta?: boolean;
  /** Patches of EnvoyFilters that it rejected, for the one type of resources that is made. Default: none. */
  readonly withheldPatches?: readonly WithheldPatch[];
  /**
   * Whether the virtual hosts of its route tables are resources of their own (VHDS), so that a change of one service
   * sends it one virtual host. The variant of xDS and the version of its Envoy decide this. Default false.
   */
  readonly takesVirtualHosts?: boolean;
}
