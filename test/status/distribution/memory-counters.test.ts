import test from 'ava';
import { parseNode } from '../../../src/model/parse-node.js';
import type { ProxyConnection } from '../../../src/model/proxy-connection.js';
import { hasMemoryCounters } from '../../../src/status/distribution/connected-clients.js';
import { readNode } from '../../../src/xds/node-wire.js';
import { encodeNode } from '../../../src/xds-client/discovery-messages.js';

const SERVICE_CONFIG = 'type.googleapis.com/mesh.policy.v1.ServiceConfig';

function connection(namespace: string, counters: string, typeUrl = SERVICE_CONFIG): ProxyConnection {
  const id = `router~10.0.0.9~navigator-policy.${namespace}~${namespace}.svc.cluster.local`;
  // As it goes over the wire.
  const proxy = parseNode(readNode(encodeNode(id, 'navigator-policy', 'test', { QUOTA_COUNTERS: counters })));
  const watch = {
    typeUrl,
    resourceNames: [],
    sentNonce: '',
    ackedNonce: '',
    sentVersion: '',
    ackedVersion: '',
    ackedRoot: '',
  };
  return { id, proxy, peer: '', connectedAt: new Date(0), watches: new Map([[typeUrl, watch]]) };
}

test('a policy server of the namespace reports that it counts in memory', (t) => {
  t.true(hasMemoryCounters([connection('mesh-system', 'memory')], 'mesh-system'));
  t.false(hasMemoryCounters([connection('mesh-system', 'shared')], 'mesh-system'));
  t.false(hasMemoryCounters([connection('mesh-system', 'other')], 'mesh-system'));
  t.false(hasMemoryCounters([connection('shop', 'memory')], 'mesh-system'));
});

test('a proxy with the same metadata is not a policy server', (t) => {
  const cluster = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
  t.false(hasMemoryCounters([connection('mesh-system', 'memory', cluster)], 'mesh-system'));
});
