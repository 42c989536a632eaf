import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';

/** The networks of a mesh (docs/reference/mesh-config.md#mesh-networks). */
export interface MeshNetworks {
  /** By network name. */
  readonly networks: ReadonlyMap<string, MeshNetwork>;
}

export interface MeshNetwork {
  readonly endpoints: readonly NetworkEndpoints[];
  readonly gateways: readonly NetworkGateway[];
}

/** The endpoints on the network: those in a CIDR range, or all of one registry (a cluster ID). */
export type NetworkEndpoints = { readonly fromCidr: string } | { readonly fromRegistry: string };

export interface NetworkGateway {
  /** The address of the gateway, or the FQDN of a mesh service whose endpoints are the gateways. */
  readonly target: { readonly address: string } | { readonly registryServiceName: string };
  readonly port: number;
  readonly locality: string;
}

const endpointsSchema = Type.Object(
  {
    fromCidr: Type.Optional(Type.String({ description: 'CIDR range whose addresses are on the network.' })),
    fromRegistry: Type.Optional(
      Type.String({ description: 'Cluster ID of a registry. All its endpoints are on the network.' }),
    ),
  },
  { oneOf: [{ required: ['fromCidr'] }, { required: ['fromRegistry'] }] },
);

const gatewaySchema = Type.Object(
  {
    address: Type.Optional(Type.String({ description: 'Address of the gateway: an IP address or a DNS name.' })),
    registryServiceName: Type.Optional(
      Type.String({ description: 'DNS name of the mesh service whose endpoints are the gateways.' }),
    ),
    port: Type.Integer({ description: 'Port of the gateway.', minimum: 1, maximum: 65535 }),
    locality: Type.String({ description: 'Locality of the gateway: region/zone/subzone.', default: '' }),
  },
  { oneOf: [{ required: ['address'] }, { required: ['registryServiceName'] }] },
);

/** The mesh networks file (docs/reference/mesh-config.md#mesh-networks). */
export const meshNetworksSchema = Type.Object({
  networks: stringMap(
    Type.Object({
      endpoints: Type.Array(endpointsSchema, { description: 'Endpoints that are on the network.', minItems: 1 }),
      gateways: Type.Array(gatewaySchema, {
        description: 'Gateways through which other networks reach this one.',
        minItems: 1,
      }),
    }),
    { description: 'The networks of the mesh, by name.', default: {} },
  ),
});

export type MeshNetworksFile = Immutable<Static<typeof meshNetworksSchema>>;
