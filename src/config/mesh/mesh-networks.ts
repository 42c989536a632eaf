/** The mesh networks file (BEHAVIOUR 8, "Mesh networks"). */
export interface MeshNetworks {
  /** By network name. */
  readonly networks: ReadonlyMap<string, MeshNetwork>;
}

export interface MeshNetwork {
  readonly endpoints: readonly NetworkEndpoints[];
  readonly gateways: readonly NetworkGateway[];
}

/** Which endpoints are on the network: those in a CIDR, or all of one registry (a cluster id). */
export type NetworkEndpoints = { readonly fromCidr: string } | { readonly fromRegistry: string };

export interface NetworkGateway {
  /** The gateway's address, or the FQDN of a service in the mesh whose endpoints are the gateways. */
  readonly target: { readonly address: string } | { readonly registryServiceName: string };
  readonly port: number;
  readonly locality: string;
}
