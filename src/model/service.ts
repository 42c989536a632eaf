import type { ServiceFailPolicy } from './policy/read-service-fail-policy.js';

export interface Port {
  readonly name: string;
  /** The port that clients of the service connect to, 1 to 65535. */
  readonly number: number;
  readonly protocol: Protocol;
}

/** Where a service was found. */
export type Registry = 'Orchestrator' | 'External' | 'Mock' | 'Catalog';

/**
 * How a proxy finds the endpoints of a service: `endpoints` from the control plane (EDS), `dns` by resolving names,
 * `passthrough` by keeping the original destination of a connection.
 */
export type Resolution = 'endpoints' | 'dns' | 'passthrough';

/** A Kubernetes Service in one of the clusters that have it. */
export interface ServiceInCluster {
  /** Virtual IPs in that cluster; empty for a headless one. */
  readonly addresses: readonly string[];
  /** Addresses for clients outside of the cluster: those of its load balancer, or `externalIPs`. */
  readonly externalAddresses: readonly string[];
}

/**
 * A service of any registry. Immutable: a registry builds a new object for a change, and an unchanged service keeps its
 * identity from snapshot to snapshot, so generators can remember results by it.
 */
export interface Service {
  /** FQDN, for example `web.default.svc.cluster.local`; may start with `*.` for a ServiceEntry. */
  readonly hostname: string;
  readonly name: string;
  readonly namespace: string;
  readonly registry: Registry;
  /** Virtual IPs or CIDRs that clients may connect to; empty for headless services and for hosts without addresses. */
  readonly addresses: readonly string[];
  /**
   * By cluster. Absent when only the own cluster of the control plane has the service and it has no external address.
   */
  readonly byCluster?: ReadonlyMap<string, ServiceInCluster>;
  /** Automatic address of a ServiceEntry without addresses (240.240.0.0/16); only DNS capture uses it. */
  readonly autoAddress?: string;
  readonly ports: readonly Port[];
  readonly resolution: Resolution;
  readonly headless: boolean;
  readonly meshExternal: boolean;
  /** Namespaces that see it; `*` is all, `.` its own. Never empty. */
  readonly exportTo: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** DNS name of an external-name service. */
  readonly externalName?: string;
  /** SPIFFE ids or DNS names that its servers may present. */
  readonly subjectAltNames: readonly string[];
  /** Fail policy of checks, from its annotations; absent without any. */
  readonly failPolicy?: ServiceFailPolicy;
  /** Rejected annotations of its object; absent without any. */
  readonly refusedAnnotations?: readonly RefusedAnnotation[];
  /** RFC 3339; the older of two conflicting services wins. Empty when unknown. */
  readonly creationTimestamp: string;
  /** Present for a ServiceEntry of the root namespace, which wins over those of other namespaces regardless of age. */
  readonly isOfRoot?: true;
  /** Key of its object. */
  readonly source: string;
}

/** An annotation that is rejected. */
export interface RefusedAnnotation {
  readonly annotation: string;
  readonly value: string;
  /** The effect instead, for the end of a message: `counts as FAIL_CLOSE`. */
  readonly problem: string;
  /** What to write instead. */
  readonly remedy: string;
  /** Present where objects of this kind have no such annotation, whatever its value. */
  readonly isUnknown?: true;
}

const MAX_SHOWN = 100;

/** A value as messages show it. */
export function shownValue(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Application protocols of a service port (docs/reference/xds.md#protocol-selection). The proxy sniffs `auto`. */
export type Protocol =
  | 'http'
  | 'http2'
  | 'grpc'
  | 'grpc-web'
  | 'https'
  | 'tls'
  | 'tcp'
  | 'udp'
  | 'mongo'
  | 'redis'
  | 'mysql'
  | 'thrift'
  | 'auto';
