export type Health = 'healthy' | 'unhealthy' | 'draining';

/** One address that serves one port of a service. Immutable. */
export interface Endpoint {
  /** IP address, DNS name (for `dns` services), or `unix:///path`. */
  readonly address: string;
  /** The port the workload listens on; 0 for a unix socket. */
  readonly port: number;
  /** Name of the service port that this endpoint serves. */
  readonly portName: string;
  readonly health: Health;
  readonly labels: Readonly<Record<string, string>>;
  /** `region/zone/subzone`; parts at the end may be missing, and it is empty when unknown. */
  readonly locality: string;
  readonly network: string;
  /** Load balancing weight; default 1. */
  readonly weight: number;
  /** `spiffe://…` identity, or empty. */
  readonly serviceAccount: string;
  /** `mesh` when the workload takes mutual TLS from the mesh. */
  readonly tlsMode: 'mesh' | 'disabled';
  readonly workloadName: string;
  readonly namespace: string;
  /** Pod host name, for `<pod>.<service>` names of a headless service; empty otherwise. */
  readonly hostname: string;
}

/** Names the origin of a set of endpoints: `<registry>/<cluster>`. */
export type ShardKey = string;

/** All endpoints of one service. A change builds a new object; an unchanged one keeps its identity. */
export interface ServiceEndpoints {
  readonly hostname: string;
  readonly namespace: string;
  readonly shards: ReadonlyMap<ShardKey, readonly Endpoint[]>;
  /**
   * Identities of all endpoints, sorted; a change of this set makes the push a full one
   * (docs/reference/xds.md#endpoints).
   */
  readonly serviceAccounts: readonly string[];
}
