import test from 'ava';
import { NodeError, type NodeErrorCode } from '../../src/model/node-error.js';
import { type NodeDescription, parseNode } from '../../src/model/parse-node.js';
import fc from '../support/property-testing.js';

const NO_LOCALITY = { region: '', zone: '', subZone: '' };
const ID = 'sidecar~10.0.0.1~web-7d9.shop~shop.svc.cluster.local';

function nodeOf(id: string, metadata: NodeDescription['metadata'] = {}): NodeDescription {
  return { id, metadata, locality: NO_LOCALITY, userAgentVersion: '' };
}

test('the id, locality and metadata of a node describe the proxy', (t) => {
  const metadata = {
    MESH_VERSION: '1.0',
    LABELS: { app: 'web', revision: 2 },
    INSTANCE_IPS: '10.0.0.1, fd00:0::0:1,not-an-ip',
    NAMESPACE: 'shop',
    INTERCEPTION_MODE: 'TPROXY',
    SERVICE_ACCOUNT: 'robot',
    CLUSTER_ID: 'east',
    NETWORK: 'lan',
    REQUESTED_NETWORK_VIEW: ['lan', 'wan'],
    IDLE_TIMEOUT: '1m30s',
    HTTP10: '1',
    DNS_CAPTURE: true,
    ON_DEMAND: 'true',
    GENERATOR: 'grpc',
    ROUTER_MODE: 'standard',
    MESH_ID: 'mesh-1',
    UNKNOWN: { any: ['thing'] },
  };
  t.deepEqual(
    parseNode({ id: ID, metadata, locality: { region: 'r', zone: 'z', subZone: '' }, userAgentVersion: '1.40.0' }),
    {
      id: ID,
      type: 'sidecar',
      ipAddresses: ['10.0.0.1', 'fd00::1'],
      name: 'web-7d9',
      configNamespace: 'shop',
      dnsDomain: 'shop.svc.cluster.local',
      locality: 'r/z',
      version: '1.40.0',
      metadata: {
        meshVersion: '1.0',
        labels: { app: 'web', revision: '2' },
        instanceIps: ['10.0.0.1', 'fd00:0::0:1', 'not-an-ip'],
        namespace: 'shop',
        interceptionMode: 'TPROXY',
        serviceAccount: 'robot',
        clusterId: 'east',
        network: 'lan',
        requestedNetworkView: ['lan', 'wan'],
        idleTimeoutMs: 90_000,
        http10: true,
        dnsCapture: true,
        onDemand: true,
        generator: 'grpc',
        routerMode: 'standard',
        meshId: 'mesh-1',
        texts: {
          MESH_VERSION: '1.0',
          INSTANCE_IPS: '10.0.0.1, fd00:0::0:1,not-an-ip',
          NAMESPACE: 'shop',
          INTERCEPTION_MODE: 'TPROXY',
          SERVICE_ACCOUNT: 'robot',
          CLUSTER_ID: 'east',
          NETWORK: 'lan',
          IDLE_TIMEOUT: '1m30s',
          HTTP10: '1',
          ON_DEMAND: 'true',
          GENERATOR: 'grpc',
          ROUTER_MODE: 'standard',
          MESH_ID: 'mesh-1',
        },
      },
      isProxyless: true,
      hasSecrets: false,
    },
  );
});

test('at most 64 texts of the metadata are kept, none longer than 1 KiB', (t) => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`KEY_${index}`, 'x']));
  const { texts = {} } = parseNode(nodeOf(ID, { LONG: 'x'.repeat(1024), ...many })).metadata;
  t.is(Object.keys(texts).length, 64);
  t.false('LONG' in texts);
});

test('metadata that is absent, null or empty leaves no key', (t) => {
  const { metadata } = parseNode(nodeOf(ID, { NAMESPACE: '', NETWORK: null, HTTP10: '' }));
  t.deepEqual(metadata, { labels: {}, instanceIps: [], interceptionMode: 'REDIRECT', requestedNetworkView: [] });
});

test('without NAMESPACE the config namespace is the first label of the DNS domain', (t) => {
  t.is(parseNode(nodeOf('router~10.0.0.1~gw.edge~infra.svc.cluster.local')).configNamespace, 'infra');
});

test('an address in the metadata is enough', (t) => {
  t.deepEqual(parseNode(nodeOf('sidecar~~a.b~b.svc', { INSTANCE_IPS: '10.9.9.9' })).ipAddresses, ['10.9.9.9']);
});

test('the name keeps its own dots and loses its namespace', (t) => {
  t.is(parseNode(nodeOf('sidecar~10.0.0.1~a.b.shop~shop.svc')).name, 'a.b');
  t.is(parseNode(nodeOf('sidecar~10.0.0.1~bare~shop.svc')).name, 'bare');
});

interface Refusal {
  readonly node: NodeDescription;
  readonly code: NodeErrorCode;
  readonly message: RegExp;
}

const REFUSALS: readonly Refusal[] = [
  { node: nodeOf(''), code: 'MISSING_NODE_ID', message: /^missing node ID/ },
  { node: nodeOf('x'), code: 'MISSING_PARTS', message: /^missing parts in the service node "x"/ },
  { node: nodeOf('sidecar~10.0.0.1~a.b'), code: 'MISSING_PARTS', message: /^missing parts in the service node "/ },
  { node: nodeOf(`${ID}~more`), code: 'MISSING_PARTS', message: /<sidecar\|router>~<ip>~<name\.ns>~<ns\.svc\.domain>/ },
  {
    node: nodeOf('waypoint~10.0.0.1~a.b~c'),
    code: 'INVALID_NODE_TYPE',
    message: /^invalid node type .*sidecar, router.*"waypoint~/,
  },
  {
    node: nodeOf('sidecar~nowhere~a.b~c'),
    code: 'NO_VALID_IP',
    message: /^no valid IP address in the service node id or metadata/,
  },
  { node: nodeOf('sidecar~10.1~a.b~c'), code: 'NO_VALID_IP', message: /^no valid IP address/ },
  { node: nodeOf('sidecar~10.0.0.1~a\u0000.b~c'), code: 'INVALID_NODE_ID', message: /control characters/ },
  {
    node: nodeOf(`sidecar~10.0.0.1~${'a'.repeat(5000)}~c`),
    code: 'INVALID_NODE_ID',
    message: /has 5019 characters, at most 2048/,
  },
  { node: nodeOf(ID, { LABELS: ['a'] }), code: 'INVALID_METADATA', message: /"LABELS" is a list.*an object of texts/ },
  {
    node: nodeOf(ID, { LABELS: { app: { x: 1 } } }),
    code: 'INVALID_METADATA',
    message: /"LABELS\.app" is of type object/,
  },
  { node: nodeOf(ID, { NAMESPACE: {} }), code: 'INVALID_METADATA', message: /"NAMESPACE" is of type object.*text/ },
  { node: nodeOf(ID, { NETWORK: 'n'.repeat(5000) }), code: 'INVALID_METADATA', message: /at most 4096 characters/ },
  { node: nodeOf(ID, { INSTANCE_IPS: [1] }), code: 'INVALID_METADATA', message: /"INSTANCE_IPS" is a list/ },
  {
    node: nodeOf(ID, { INTERCEPTION_MODE: 'MAGIC' }),
    code: 'INVALID_METADATA',
    message: /"MAGIC".*REDIRECT, TPROXY, NONE/,
  },
  { node: nodeOf(ID, { HTTP10: 'maybe' }), code: 'INVALID_METADATA', message: /"maybe".*true, false, 1 or 0/ },
  { node: nodeOf(ID, { IDLE_TIMEOUT: 'soon' }), code: 'INVALID_METADATA', message: /"soon".*a duration such as 30s/ },
  { node: nodeOf(ID, { IDLE_TIMEOUT: '-1s' }), code: 'INVALID_METADATA', message: /a duration of 0s or more/ },
];

for (const [index, { node, code, message }] of REFUSALS.entries()) {
  test(`an invalid node is rejected with ${code} (case ${index + 1})`, (t) => {
    const error = t.throws(() => parseNode(node), { instanceOf: NodeError });
    t.is(error?.code, code);
    t.regex(error?.message ?? '', message);
    t.true((error?.message.length ?? 0) < 700);
  });
}

const hostileId = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc
    .tuple(
      fc.constantFrom('sidecar', 'router', ''),
      fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()),
      fc.string(),
      fc.string(),
    )
    .map((parts) => parts.join('~')),
);
const KEYS = [
  'LABELS',
  'INSTANCE_IPS',
  'NAMESPACE',
  'INTERCEPTION_MODE',
  'IDLE_TIMEOUT',
  'HTTP10',
  'REQUESTED_NETWORK_VIEW',
];
const hostileMetadata = fc.dictionary(fc.constantFrom(...KEYS, '__proto__', 'toString'), fc.jsonValue());

test('whatever a proxy sends, it gets a proxy or a NodeError with a short printable message', (t) => {
  fc.assert(
    fc.property(hostileId, hostileMetadata, fc.string(), (id, metadata, region) => {
      try {
        const proxy = parseNode({ id, metadata, locality: { ...NO_LOCALITY, region }, userAgentVersion: '' });
        t.true(proxy.ipAddresses.length > 0);
      } catch (error) {
        t.true(error instanceof NodeError);
        t.true((error as NodeError).message.length < 2000);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        t.notRegex((error as NodeError).message, /[\u0000-\u001f]/);
      }
    }),
    { numRuns: 10_000 },
  );
});

test('a gRPC library is known by metadata GENERATOR, or by its user agent', (t) => {
  const node = { id: 'sidecar~10.0.0.1~web.shop~shop.svc.cluster.local', ...NODE_FACTS };
  t.true(parseNode({ ...node, metadata: { GENERATOR: 'grpc' } }).isProxyless);
  t.true(parseNode({ ...node, metadata: { GENERATOR: 'api' } }).isApiClient);
  t.is(parseNode({ ...node, metadata: { GENERATOR: 'grpc' } }).isApiClient, undefined);
  t.true(parseNode({ ...node, metadata: { GENERATOR: 'event' } }).isEventClient);
  for (const userAgentName of ['gRPC Go', 'gRPC C-core linux', 'gRPC Node Pure JS', 'gRPC Java']) {
    t.true(parseNode({ ...node, userAgentName }).isProxyless, userAgentName);
  }
  for (const userAgentName of ['', 'envoy', 'gRPC']) {
    t.is(parseNode({ ...node, userAgentName }).isProxyless, undefined, userAgentName);
  }
});

const NODE_FACTS = { metadata: {}, locality: { region: '', zone: '', subZone: '' }, userAgentVersion: '' };
