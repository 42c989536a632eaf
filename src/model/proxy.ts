import type { PolicyOverrides } from './policy/read-policy-overrides.js';
import type { Port, Service } from './service.js';

export type ProxyType = 'sidecar' | 'router';

export type InterceptionMode = 'REDIRECT' | 'TPROXY' | 'NONE';

/** Node metadata that changes what a proxy is served (docs/reference/xds.md#node). Absent keys are absent here too. */
export interface ProxyMetadata {
  readonly meshVersion?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly instanceIps: readonly string[];
  readonly namespace?: string;
  readonly interceptionMode: InterceptionMode;
  readonly serviceAccount?: string;
  readonly clusterId?: string;
  readonly network?: string;
  /** Networks the proxy wants endpoints of; empty means all. */
  readonly requestedNetworkView: readonly string[];
  readonly idleTimeoutMs?: number;
  readonly http10?: boolean;
  readonly dnsCapture?: boolean;
  readonly generator?: string;
  readonly routerMode?: string;
  readonly meshId?: string;
  /** Of a policy server: where it counts quotas. Each `memory` counts for itself. */
  readonly quotaCounters?: 'memory' | 'shared';
  /** Absent when it overrides nothing. */
  readonly policy?: PolicyOverrides;
}

/**
 * One of the proxy's own services: a service port that the proxy's workload serves. The workloads of one
 * deployment share the very same targets, so it holds nothing about the single workload.
 */
export interface ServiceTarget {
  readonly service: Service;
  readonly port: Port;
  /** The port that the workload listens on. */
  readonly targetPort: number;
}

/** A connected proxy as its first request described it. */
export interface Proxy {
  /** The node id: `<sidecar|router>~<ip>~<name.ns>~<ns.svc.domain>`. */
  readonly id: string;
  readonly type: ProxyType;
  /** All addresses, the id's first. */
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
   * Whether it is given a certificate, so that it can take and make mutual TLS: its stream is authenticated, and there
   * is an authority. Nothing that it says of itself.
   */
  readonly hasSecrets: boolean;
  /**
   * Whether it is served the policies of all namespaces, as policy servers are, or those of its own namespace. Decided by
   * the identity that it has proven. Default true: on a listener without authentication nothing is proven.
   */
  readonly seesAllPolicies?: boolean;
}
