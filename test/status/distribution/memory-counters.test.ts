import test from 'ava';
import { parseNode } from '../../../src/model/parse-node.js';
import type { ProxyConnection } from '../../../src/model/proxy-connection.js';
import { hasMemoryCounters } from '../../../src/status/distribution/connected-clients.js';
import { readNode } from '../../../src/xds/node-wire.js';
import { encodeNode } from '../../../src/xds-client/discovery-messages.js';
import { connection, watch } from '../../introspection/fixtures/mesh.js';

const SERVICE_CONFIG = 'type.googleapis.com/mesh.policy.v1.ServiceConfig';

function policyServer(namespace: string, counters: string, typeUrl = SERVICE_CONFIG): ProxyConnection {
  const id = `router~10.0.0.9~navigator-policy.${namespace}~${namespace}.svc.cluster.local`;
  // As on the wire.
  const proxy = parseNode(readNode(encodeNode(id, 'navigator-policy', 'test', { QUOTA_COUNTERS: counters })));
  return connection({ id, proxy, watches: [watch(typeUrl)] });
}

test('a policy server of the namespace reports that it counts in memory', (t) => {
  t.true(hasMemoryCounters([policyServer('mesh-system', 'memory')], 'mesh-system'));
  t.false(hasMemoryCounters([policyServer('mesh-system', 'shared')], 'mesh-system'));
  t.false(hasMemoryCounters([policyServer('mesh-system', 'other')], 'mesh-system'));
  t.false(hasMemoryCounters([policyServer('shop', 'memory')], 'mesh-system'));
});

test('a proxy with the same metadata is not a policy server', (t) => {
  const cluster = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
  t.false(hasMemoryCounters([policyServer('mesh-system', 'memory', cluster)], 'mesh-system'));
});
