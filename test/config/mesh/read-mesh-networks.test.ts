import test from 'ava';
import { createDefaultMeshNetworks, createMeshNetworksReader } from '../../../src/config/mesh/read-mesh-networks.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import { formatFinding } from '../../../src/config/violation.js';

const read = createMeshNetworksReader(createSchemaCompiler());

test('an empty file is a mesh without networks', (t) => {
  t.deepEqual(read(undefined), { type: 'valid', value: createDefaultMeshNetworks(), warnings: [] });
});

test('endpoints are ranges or registries, gateways are addresses or services', (t) => {
  const result = read({
    networks: {
      east: {
        endpoints: [{ fromCidr: '10.1.0.0/16' }, { fromRegistry: 'cluster-1' }],
        gateways: [
          { address: '1.2.3.4', port: 443, locality: 'eu/a' },
          { registryServiceName: 'gw.mesh-system.svc.cluster.local', port: 15443 },
        ],
      },
    },
  });
  t.deepEqual(result.type === 'valid' && [...result.value.networks], [
    [
      'east',
      {
        endpoints: [{ fromCidr: '10.1.0.0/16' }, { fromRegistry: 'cluster-1' }],
        gateways: [
          { target: { address: '1.2.3.4' }, port: 443, locality: 'eu/a' },
          { target: { registryServiceName: 'gw.mesh-system.svc.cluster.local' }, port: 15443, locality: '' },
        ],
      },
    ],
  ]);
});

const gateways = [{ address: '1.2.3.4', port: 443 }];
const endpoints = [{ fromCidr: '10.0.0.0/8' }];

const refused: readonly (readonly [object, string])[] = [
  [{ endpoints: [], gateways }, 'networks.n.endpoints: []: has too few items; give at least 1'],
  [{ endpoints, gateways: [] }, 'networks.n.gateways: []: has too few items; give at least 1'],
  [
    { endpoints: [{}], gateways },
    'networks.n.endpoints[0]: {}: sets none of fromCidr, fromRegistry; set exactly one of fromCidr, fromRegistry',
  ],
  [
    { endpoints: [{ fromCidr: '10.0.0.0/8', fromRegistry: 'x' }], gateways },
    'networks.n.endpoints[0]: a mapping: sets fromCidr and fromRegistry together; set exactly one of fromCidr, fromRegistry',
  ],
  [
    { endpoints: [{ fromCidr: '10.0.0.0/40' }], gateways },
    'networks.n.endpoints[0].fromCidr: "10.0.0.0/40": is not a CIDR range; use for example 10.1.0.0/16',
  ],
  [
    { endpoints, gateways: [{ address: 'a b', port: 1 }] },
    'networks.n.gateways[0].address: "a b": is not an address; use an IP address or a DNS name',
  ],
  [
    { endpoints, gateways: [{ registryServiceName: '*', port: 1 }] },
    'networks.n.gateways[0].registryServiceName: "*": is not the name of a service; use its full DNS name',
  ],
  [
    { endpoints, gateways: [{ address: '1.2.3.4' }] },
    'networks.n.gateways[0].port: is missing; add it: Port of the gateway',
  ],
];

for (const [network, expected] of refused) {
  test(`refused: ${expected}`, (t) => {
    const result = read({ networks: { n: network } });
    t.deepEqual(result.type === 'invalid' ? result.violations.map(formatFinding) : [], [expected]);
  });
}
