import test from 'ava';
import { inOneStep } from '../../../src/base/steps.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { readNode } from '../../../src/xds/node-wire.js';
import { readDiscoveryRequest, readResourceNames } from '../../../src/xds/request-wire.js';
import { readRestRequest } from '../../../src/xds/rest/rest-request.js';

const NODE = {
  id: 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local',
  metadata: { NAMESPACE: 'ns', LABELS: { app: 'web' }, list: [1, true, null, { deep: 'yes' }] },
  locality: { region: 'r', zone: 'z', sub_zone: 's' },
  user_agent_build_version: { version: { major_number: 1, minor_number: 40 } },
};

function read(request: object, limits = { names: 100, nodeBytes: 4_096 }) {
  const { message, ...rest } = inOneStep(readRestRequest(JSON.stringify(request), TypeUrl.route, limits));
  return { ...rest, ...readDiscoveryRequest(message) };
}

for (const spelling of ['snake', 'camel'] as const) {
  test(`a request in ${spelling} case has its fields`, (t) => {
    const isSnake = spelling === 'snake';
    const request = read({
      node: NODE,
      [isSnake ? 'version_info' : 'versionInfo']: 'v',
      [isSnake ? 'resource_names' : 'resourceNames']: ['a', 'b'],
      [isSnake ? 'response_nonce' : 'responseNonce']: 'n',
      [isSnake ? 'error_detail' : 'errorDetail']: { code: 3, message: 'no' },
      extra: { of: 'a later Envoy' },
    });
    t.like(request, { versionInfo: 'v', typeUrl: TypeUrl.route, responseNonce: 'n' });
    t.deepEqual(request.errorDetail, { code: 3, message: 'no' });
    t.deepEqual(inOneStep(readResourceNames(request.encodedNames)), ['a', 'b']);
  });
}

test('the node has its id, metadata, locality and version', (t) => {
  const { node } = read({ node: NODE });
  t.deepEqual(readNode(node as Uint8Array), {
    id: NODE.id,
    metadata: NODE.metadata,
    locality: { region: 'r', zone: 'z', subZone: 's' },
    userAgentName: '',
    userAgentVersion: '1.40.0',
  });
});

test('the key tells nodes and names apart, and not versions', (t) => {
  const { key } = read({ node: NODE, resource_names: ['a'] });
  t.is(read({ node: NODE, resource_names: ['a'], version_info: 'v' }).key, key);
  t.not(read({ node: NODE, resource_names: ['b'] }).key, key);
  t.not(read({ node: { ...NODE, id: 'x' }, resource_names: ['a'] }).key, key);
});

test('the subscriptions of one node have its key, whatever the order of its metadata', (t) => {
  const request = (metadata: object) => read({ node: { ...NODE, metadata } });
  const first = request({ NAMESPACE: 'ns', LABELS: { app: 'a', version: '1' } });
  const second = request({ LABELS: { version: '1', app: 'a' }, NAMESPACE: 'ns' });
  t.is(second.nodeKey, first.nodeKey);
  t.is(read({ node: NODE, resource_names: ['a'] }).nodeKey, read({ node: NODE, resource_names: ['b'] }).nodeKey);
  t.not(request({ NAMESPACE: 'other' }).nodeKey, first.nodeKey);
});

for (const [field, request] of [
  ['node', { node: 'x' }],
  ['resource_names', { node: NODE, resource_names: [1] }],
  ['version_info', { node: NODE, version_info: 7 }],
  ['id', { node: { id: 7 } }],
  ['code', { node: NODE, error_detail: { code: 1.5 } }],
  ['node.metadata', { node: { metadata: 7 } }],
] as const) {
  test(`a wrong ${field} is named`, (t) => {
    t.throws(() => read(request), { name: 'StreamError', message: new RegExp(`DiscoveryRequest: ${field} is not`) });
  });
}

test('metadata that is nested deeply is refused', (t) => {
  let metadata: object = {};
  for (let depth = 0; depth < 40; depth++) metadata = { deeper: metadata };
  t.throws(() => read({ node: { metadata } }), { message: /nested deeper than 32/ });
});

test('too many names, and metadata that no node can have, are refused with their settings', (t) => {
  const many = Array.from({ length: 1_100 }, (_, index) => index);
  t.throws(() => read({ node: NODE, resource_names: many.slice(0, 101).map(String) }), {
    message: /more than 100 resources; .* NAV_XDS_MAX_NAMES/,
  });
  for (const metadata of [{ many }, Object.fromEntries(many.map((index) => [`k${index}`, 0]))]) {
    t.throws(() => read({ node: { ...NODE, metadata } }), {
      message: /more than 4096 bytes; .* NAV_XDS_MAX_NODE_BYTES/,
    });
  }
});

test('texts that a waiting poll would keep in memory are bounded', (t) => {
  const long = 'x'.repeat(5_000);
  for (const field of ['version_info', 'response_nonce']) {
    t.throws(() => read({ node: NODE, [field]: long }), { message: new RegExp(`${field} is longer than 1024`) });
  }
  t.throws(() => read({ node: { ...NODE, id: long } }), { message: /more than 4096 bytes; .* NAV_XDS_MAX_NODE_BYTES/ });
  const { errorDetail } = read({ node: NODE, error_detail: { code: 3, message: long } });
  t.true((errorDetail?.message.length ?? 0) < 4_200);
});

test('a request with many names is read with pauses', (t) => {
  const body = JSON.stringify({
    node: NODE,
    resource_names: Array.from({ length: 10_000 }, (_, index) => `n${index}`),
  });
  const steps = [...readRestRequest(body, TypeUrl.route, { names: 10_000, nodeBytes: 4_096 })];
  t.true(steps.length > 5);
});
