import test from 'ava';
import type { MeshNetwork } from '../../../src/config/mesh/mesh-networks.js';
import { createNetworkLookup } from '../../../src/model/registry/network-lookup.js';

function network(...endpoints: MeshNetwork['endpoints']): MeshNetwork {
  return { endpoints, gateways: [] };
}

const NETWORKS = {
  networks: new Map([
    ['wide', network({ fromCidr: '10.0.0.0/8' })],
    ['narrow', network({ fromCidr: '10.1.0.0/16' }, { fromCidr: 'fd00::/8' })],
    ['registry', network({ fromRegistry: 'east' })],
  ]),
};

const CASES = [
  ['10.2.0.1', 'east', 'wide'],
  ['10.1.0.1', 'east', 'narrow'],
  ['fd00::1', 'west', 'narrow'],
  ['::ffff:10.1.0.1', 'west', 'narrow'],
  ['192.168.0.1', 'east', 'registry'],
  ['192.168.0.1', 'west', ''],
  ['db.example.com', 'east', 'registry'],
] as const;

for (const [address, cluster, expected] of CASES) {
  test(`${address} in cluster ${cluster} is on network "${expected}"`, (t) => {
    t.is(createNetworkLookup(NETWORKS, cluster)(address), expected);
  });
}

test('without mesh networks there is no network', (t) => {
  t.is(createNetworkLookup({ networks: new Map() }, 'east')('10.0.0.1'), '');
});
