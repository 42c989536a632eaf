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
 * How a proxy finds the endpoints of a service:
 * `endpoints` from us (EDS), `dns` by resolving the endpoints' names, `passthrough` by keeping the
 * connection's original destination.
 */
export type Resolution = 'endpoints' | 'dns' | 'passthrough';

/** What a Service of Kubernetes is in one of the clusters that have it. */
export interface ServiceInCluster {
  /** Virtual IPs there; empty for a headless one. */
  readonly addresses: readonly string[];
  /** Where it is reached from outside of the cluster: IP addresses of its load balancer, or `externalIPs`. */
  readonly externalAddresses: readonly string[];
}

/**
 * A service as the mesh sees it, from whatever registry. Never changed after it is built: a registry that
 * sees a change builds a new object, and an unchanged service keeps its identity from one snapshot to the
 * next, so that generators may remember results per object.
 */
export interface Service {
  /** FQDN, for example `web.default.svc.cluster.local`; may start with `*.` for a ServiceEntry. */
  readonly hostname: string;
  readonly name: string;
  readonly namespace: string;
  readonly registry: Registry;
  /** Virtual IPs or CIDRs that clients may connect to; empty when there is none (headless, or a bare host). */
  readonly addresses: readonly string[];
  /**
   * By cluster. Absent where it would say nothing new: the control plane's own cluster alone has the service, and
   * nothing leads to it from outside.
   */
  readonly byCluster?: ReadonlyMap<string, ServiceInCluster>;
  /** Address made up for a ServiceEntry without addresses (240.240.0.0/16), used by DNS capture alone. */
  readonly autoAddress?: string;
  readonly ports: readonly Port[];
  readonly resolution: Resolution;
  readonly headless: boolean;
  readonly meshExternal: boolean;
  /** Namespaces that see it; `*` is all, `.` its own. Never empty. */
  readonly exportTo: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** For external-name services: the DNS name that stands behind the host. */
  readonly externalName?: string;
  /** SPIFFE or plain names that a server of this service may present. */
  readonly subjectAltNames: readonly string[];
  /** What annotations say about checks that get no answer; absent where they say nothing. */
  readonly failPolicy?: ServiceFailPolicy;
  /** Annotations of its object that cannot be used; absent for none. */
  readonly refusedAnnotations?: readonly RefusedAnnotation[];
  /** RFC 3339; the older of two conflicting services wins. Empty when unknown. */
  readonly creationTimestamp: string;
  /** Present for a ServiceEntry of the root namespace: it wins over those of other namespaces, however old. */
  readonly isOfRoot?: true;
  /** Key of the object it was translated from. */
  readonly source: string;
}

/** An annotation that cannot be used. */
export interface RefusedAnnotation {
  readonly annotation: string;
  readonly value: string;
  /** What holds instead, after the value: `counts as FAIL_CLOSE`. */
  readonly problem: string;
  /** What to write instead. */
  readonly remedy: string;
  /** Present where not the value is wrong: objects of this kind have no such annotation. */
  readonly isUnknown?: true;
}

const MAX_SHOWN = 100;

/** A value as messages show it. */
export function shownValue(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/**
 * Application protocols that a service port can carry (docs/reference/xds.md#protocol-selection). `auto` is sniffed by
 * the proxy.
 */
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
