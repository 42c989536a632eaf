import { isCidr, isIpAddress } from '../../base/ip-address.js';
import { isFqdn } from '../primitives.js';
import type { SchemaCompiler } from '../schema/schema-reader.js';
import type { SettingsReader } from '../settings-reader.js';
import { childPath, type Violation } from '../violation.js';
import type { MeshNetwork, MeshNetworks, NetworkEndpoints, NetworkGateway } from './mesh-networks.js';
import { type MeshNetworksFile, meshNetworksSchema } from './mesh-networks.js';

type NetworkFile = MeshNetworksFile['networks'][string];

/** Makes the reader of the mesh networks file (docs/reference/mesh-config.md#mesh-networks). */
export function createMeshNetworksReader(compiler: SchemaCompiler): SettingsReader<MeshNetworks> {
  const reader = compiler.compile(meshNetworksSchema, 'reported');
  return (content) => {
    const result = reader.read(content ?? {});
    if (result.type === 'invalid') return { type: 'invalid', violations: result.violations };
    const networks = Object.entries(result.value.networks);
    const violations = networks.flatMap(([name, network]) => validateNetwork(childPath('networks', name), network));
    if (violations.length > 0) return { type: 'invalid', violations };
    const value = { networks: new Map(networks.map(([name, network]) => [name, translateNetwork(network)])) };
    return { type: 'valid', value, warnings: result.unknownFields };
  };
}

/** The networks of a mesh without a mesh networks file: the whole mesh is one network. */
export function createDefaultMeshNetworks(): MeshNetworks {
  return { networks: new Map() };
}

function validateNetwork(path: string, network: NetworkFile): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [index, { fromCidr, fromRegistry }] of network.endpoints.entries()) {
    if (fromCidr !== undefined && !isCidr(fromCidr)) {
      violations.push({
        path: `${path}.endpoints[${index}].fromCidr`,
        value: fromCidr,
        message: 'is not a CIDR range',
        remedy: 'use for example 10.1.0.0/16',
      });
    }
    if (fromRegistry === '') {
      violations.push({
        path: `${path}.endpoints[${index}].fromRegistry`,
        value: fromRegistry,
        message: 'is empty',
        remedy: 'use the cluster ID of a registry',
      });
    }
  }
  for (const [index, { address, registryServiceName }] of network.gateways.entries()) {
    if (address !== undefined && !isIpAddress(address) && !isFqdn(address)) {
      violations.push({
        path: `${path}.gateways[${index}].address`,
        value: address,
        message: 'is not an address',
        remedy: 'use an IP address or a DNS name',
      });
    }
    if (registryServiceName !== undefined && !isFqdn(registryServiceName)) {
      violations.push({
        path: `${path}.gateways[${index}].registryServiceName`,
        value: registryServiceName,
        message: 'is not the name of a service',
        remedy: 'use its full DNS name',
      });
    }
  }
  return violations;
}

function translateNetwork(network: NetworkFile): MeshNetwork {
  return {
    endpoints: network.endpoints.map(
      ({ fromCidr, fromRegistry }): NetworkEndpoints =>
        fromCidr === undefined ? { fromRegistry: fromRegistry ?? '' } : { fromCidr },
    ),
    gateways: network.gateways.map(
      ({ address, registryServiceName, port, locality }): NetworkGateway => ({
        target: address === undefined ? { registryServiceName: registryServiceName ?? '' } : { address },
        port,
        locality,
      }),
    ),
  };
}
