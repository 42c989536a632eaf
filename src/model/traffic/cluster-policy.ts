import type { ClientTls } from './client-tls.js';

/** The part of a request or connection that decides which endpoint gets it. Requests without it go to any endpoint. */
export type HashKey =
  | { readonly type: 'header' | 'queryParameter'; readonly name: string }
  /** The proxy sets the cookie where a request has none; lifetime 0 makes it a session cookie. */
  | { readonly type: 'cookie'; readonly name: string; readonly path?: string; readonly lifetimeMs: number }
  | { readonly type: 'sourceAddress' };

/** How a proxy chooses among the endpoints of a cluster. */
export type LoadBalancer =
  | { readonly type: 'leastRequest' | 'roundRobin' | 'random' }
  /** Keeps the address that the application connected to. Routers have no such address and balance by least requests. */
  | { readonly type: 'originalDestination' }
  /** Equal keys go to the same endpoint for as long as the endpoints stay the same. */
  | { readonly type: 'consistentHash'; readonly key: HashKey; readonly minimumRingSize: number };

/** TCP keepalive of connections to endpoints. Absent fields keep the defaults of the operating system. */
export interface TcpKeepalive {
  /** Unanswered probes after which a connection is closed. */
  readonly probes?: number;
  /** Time without traffic before the first probe; whole seconds count. */
  readonly idleMs?: number;
  /** Time between probes; whole seconds count. */
  readonly intervalMs?: number;
}

/** Limits of one proxy's connections to a cluster. An absent limit is no limit. */
export interface ConnectionPool {
  readonly connectTimeoutMs: number;
  readonly maxConnections?: number;
  readonly keepalive?: TcpKeepalive;
  readonly maxPendingRequests?: number;
  readonly maxRequests?: number;
  readonly maxRequestsPerConnection?: number;
  /** Retries that may be under way at the same time. */
  readonly maxRetries?: number;
  /** Closes connections without requests after this time; absent for Envoy's default of one hour. */
  readonly idleTimeoutMs?: number;
  /** Whether HTTP/1.1 requests travel as HTTP/2. */
  readonly upgradesToHttp2: boolean;
}

/** Ejects an endpoint for a while when it returns errors. */
export interface OutlierDetection {
  /** Consecutive answers 500 to 599 that eject an endpoint; 0 turns this off, absent is Envoy's default of 5. */
  readonly consecutive5xxErrors?: number;
  /** Consecutive answers 502, 503 and 504 that eject an endpoint; 0 and absent turn this off. */
  readonly consecutiveGatewayErrors?: number;
  /** Between two analyses; absent for Envoy's default of 10 s. */
  readonly intervalMs?: number;
  /** For the first ejection; each further one takes longer. Absent for Envoy's default of 30 s. */
  readonly baseEjectionMs?: number;
  /** Share of the endpoints that may be ejected, 0 to 100; absent for Envoy's default of 10. */
  readonly maxEjectionPercent?: number;
  /** Below this share of healthy endpoints, 0 to 100, requests go to all of them. 0 and absent turn this off. */
  readonly minHealthyPercent?: number;
}

/** A locality is `region/zone/subzone`; a pattern ends in `/*`, or is `*`, for all localities below it. */
export type LocalityPolicy =
  /** Callers in `from` spread their requests by the weights of `to`; localities without a weight get none. */
  | {
      readonly type: 'distribute';
      readonly rules: readonly { readonly from: string; readonly to: Readonly<Record<string, number>> }[];
    }
  /** Callers prefer near endpoints. When their own region has none, those of region `from` prefer region `to`. */
  | { readonly type: 'failover'; readonly rules: readonly { readonly from: string; readonly to: string }[] };

/** How a proxy connects to the endpoints of one cluster. */
export interface ClusterPolicy {
  readonly loadBalancer: LoadBalancer;
  readonly connections: ConnectionPool;
  readonly outliers?: OutlierDetection;
  readonly tls: ClientTls;
  /** Absent: all localities alike. */
  readonly localities?: LocalityPolicy;
}
