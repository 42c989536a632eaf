import test from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { POLICY_TYPE_URLS } from '../../../src/policy/wire/call-metadata.js';
import { connectionOf, connectionWith, createTestMesh, proxyAt, type TestMesh, watchOf } from './support.js';

const SPEC = 'QuotaSpec shop/books {rules: [{quotas: [{quota: requests, charge: 1}]}]}';
const BINDING = 'QuotaSpecBinding shop/books {services: [{name: books}], quotaSpecs: [{name: books}]}';
const ENTRY =
  'ServiceEntry shop/pay {hosts: [pay.example.com], ports: [{number: 443, name: tls, protocol: TLS}], resolution: DNS}';
const OTHER_ENTRY = ENTRY.replace('shop/pay', 'shop/ads').replace('pay.example.com', 'ads.example.com');

/** Two proxies of books and one of users, all at the newest version. */
function connectAll(mesh: TestMesh, root = mesh.configVersion): void {
  mesh.connections.length = 0;
  for (const [name, ip] of [
    ['books-1', '10.0.0.1'],
    ['books-2', '10.0.0.2'],
    ['users-1', '10.0.0.3'],
  ] as const) {
    mesh.connections.push(connectionOf(proxyAt(name, ip), { cluster: root, filters: root }));
  }
}

test('the proxies of bound services need a policy, and all proxies need other objects', (t) => {
  const mesh = createTestMesh();
  mesh.apply([SPEC, BINDING, ENTRY].join('\n'));
  connectAll(mesh);
  t.is(mesh.shown('QuotaSpec/shop/books'), '2/2');
  t.is(mesh.shown('QuotaSpecBinding/shop/books'), '2/2');
  t.is(mesh.shown('ServiceEntry/shop/pay'), '3/3');
  t.is(mesh.progress().proxies, 3);
});

test('a binding is in force at a proxy after the proxy acknowledged its filters, and its spec not earlier', (t) => {
  const mesh = createTestMesh();
  const before = mesh.apply(SPEC);
  connectAll(mesh);
  t.is(mesh.shown('QuotaSpec/shop/books'), '0/0');
  const after = mesh.apply(BINDING);
  connectAll(mesh, before);
  t.is(mesh.shown('QuotaSpecBinding/shop/books'), '0/2');
  t.is(mesh.shown('QuotaSpec/shop/books'), '0/2');
  mesh.connections[0] = connectionOf(proxyAt('books-1', '10.0.0.1'), { cluster: before, filters: after });
  t.is(mesh.shown('QuotaSpecBinding/shop/books'), '1/2');
  t.is(mesh.shown('QuotaSpec/shop/books'), '1/2');
});

test('a changed spec is in force at once, because proxies get only bindings', (t) => {
  const mesh = createTestMesh();
  mesh.apply([SPEC, BINDING].join('\n'));
  connectAll(mesh);
  mesh.apply(SPEC.replace('charge: 1', 'charge: 2'));
  t.is(mesh.shown('QuotaSpec/shop/books'), '2/2');
  t.is(mesh.progress().objects.get('QuotaSpec/shop/books')?.version, '3');
});

test('no proxy needs a policy if the mesh or the proxy does not check', (t) => {
  const off = createTestMesh({ disablePolicyChecks: true });
  off.apply([SPEC, BINDING].join('\n'));
  connectAll(off);
  t.is(off.shown('QuotaSpecBinding/shop/books'), '0/0');
  const mesh = createTestMesh();
  mesh.apply([SPEC, BINDING].join('\n'));
  connectAll(mesh);
  const metadata = { ...proxyAt('books-1', '10.0.0.1').metadata, policy: { check: 'disable' as const } };
  mesh.connections[0] = connectionOf(proxyAt('books-1', '10.0.0.1', { metadata }), { cluster: mesh.configVersion });
  t.is(mesh.shown('QuotaSpecBinding/shop/books'), '1/1');
});

test('with checks on the client side, all proxies that see the service need the policy', (t) => {
  const mesh = createTestMesh({ enableClientSidePolicyCheck: true });
  mesh.apply([SPEC, BINDING].join('\n'));
  connectAll(mesh);
  t.is(mesh.shown('QuotaSpec/shop/books'), '3/3');
});

test('navigator-policy processes count for policies if the mesh config names one', (t) => {
  const mesh = createTestMesh({ mixerCheckServer: 'policy.mesh-system.svc.cluster.local:9091' });
  const before = mesh.apply([SPEC, BINDING, ENTRY].join('\n'));
  connectAll(mesh);
  const server = proxyAt('navigator-policy', '10.0.0.8', { type: 'router' });
  mesh.connections.push(connectionWith(server, [watchOf(POLICY_TYPE_URLS.serviceConfig, before)]));
  t.is(mesh.shown('QuotaSpec/shop/books'), '2/2 1/1');
  t.is(mesh.shown('ServiceEntry/shop/pay'), '3/3');
  mesh.apply(SPEC.replace('charge: 1', 'charge: 2'));
  t.is(mesh.shown('QuotaSpec/shop/books'), '2/2 0/1');
  t.is(mesh.shown('QuotaSpecBinding/shop/books'), '2/2 1/1');
});

test('streams of one proxy count once, and the proxy has an object when all streams have it', (t) => {
  const mesh = createTestMesh();
  const before = mesh.configVersion;
  mesh.apply(ENTRY);
  const proxy = proxyAt('books-1', '10.0.0.1');
  mesh.connections.push(
    connectionWith(proxy, [watchOf(TypeUrl.cluster, mesh.configVersion)]),
    connectionWith(proxy, [watchOf(TypeUrl.cluster, before)]),
  );
  t.is(mesh.shown('ServiceEntry/shop/pay'), '0/1');
});

test('a proxy that has acknowledged nothing misses every object that affects its subscriptions', (t) => {
  const mesh = createTestMesh();
  mesh.apply([SPEC, BINDING, ENTRY].join('\n'));
  mesh.connections.push(connectionOf(proxyAt('books-1', '10.0.0.1'), { cluster: '', filters: '' }));
  t.is(mesh.shown('ServiceEntry/shop/pay'), '0/1');
  t.is(mesh.shown('QuotaSpec/shop/books'), '0/1');
});

test('a proxy that rejects its clusters for a long time misses only later changes', (t) => {
  const mesh = createTestMesh();
  const good = mesh.apply([SPEC, BINDING, ENTRY].join('\n'));
  const bad = mesh.apply(OTHER_ENTRY);
  mesh.connections.push(
    connectionOf(
      proxyAt('books-1', '10.0.0.1'),
      { cluster: good, filters: bad },
      { message: 'cannot parse', nonce: `${bad}=1` },
    ),
  );
  for (let round = 0; round < 3; round++) {
    mesh.forget();
    t.is(mesh.shown('ServiceEntry/shop/ads'), '0/1');
    t.is(mesh.shown('ServiceEntry/shop/pay'), '1/1');
    t.is(mesh.shown('QuotaSpec/shop/books'), '1/1');
    t.deepEqual(mesh.rejections('ServiceEntry/shop/ads'), ['books-1.shop: cannot parse']);
    t.deepEqual(mesh.rejections('ServiceEntry/shop/pay'), []);
  }
});

test('an undone change is in force at every proxy that had the state before it', (t) => {
  const mesh = createTestMesh();
  mesh.apply(ENTRY);
  connectAll(mesh);
  mesh.apply(OTHER_ENTRY);
  t.is(mesh.shown('ServiceEntry/shop/ads'), '0/3');
  mesh.remove('ServiceEntry', 'shop/ads');
  t.is(mesh.shown('ServiceEntry/shop/ads'), 'absent');
  t.is(mesh.shown('ServiceEntry/shop/pay'), '3/3');
});

test('a rejection counts for each object that changed, or only for the one that its text names', (t) => {
  const mesh = createTestMesh();
  const good = mesh.configVersion;
  const bad = mesh.apply([ENTRY, OTHER_ENTRY, SPEC].join('\n'));
  const rejected = (name: string, message: string) =>
    connectionOf(proxyAt(name, '10.0.0.1'), { cluster: good }, { message, nonce: `${bad}=1` });
  mesh.connections.push(rejected('books-1', 'out of memory'));
  mesh.connections.push(rejected('books-2', 'cluster outbound|443||ads.example.com: bad DNS'));
  t.deepEqual(mesh.rejections('ServiceEntry/shop/pay'), ['books-1.shop: out of memory | ServiceEntry/shop/ads']);
  t.deepEqual(mesh.rejections('ServiceEntry/shop/ads'), [
    'books-1.shop: out of memory | ServiceEntry/shop/pay',
    'books-2.shop: cluster outbound|443||ads.example.com: bad DNS',
  ]);
  t.deepEqual(mesh.rejections('QuotaSpec/shop/books'), []);
});

test('a rejection of the first clusters counts only for an object that its text names', (t) => {
  const mesh = createTestMesh();
  const bad = mesh.apply([ENTRY, OTHER_ENTRY].join('\n'));
  const first = (message: string) =>
    connectionOf(proxyAt('books-1', '10.0.0.1'), { cluster: '' }, { message, nonce: `${bad}=1` });
  mesh.connections[0] = first('out of memory');
  t.deepEqual(mesh.rejections('ServiceEntry/shop/pay'), []);
  mesh.connections[0] = { ...first('cluster outbound|443||pay.example.com'), id: 'other' };
  t.deepEqual(mesh.rejections('ServiceEntry/shop/pay'), ['books-1.shop: cluster outbound|443||pay.example.com']);
  t.deepEqual(mesh.rejections('ServiceEntry/shop/ads'), []);
});

test('a text names a host only if it contains the whole host', (t) => {
  const mesh = createTestMesh();
  const good = mesh.configVersion;
  const bad = mesh.apply([ENTRY, ENTRY.replace('shop/pay', 'shop/xpay').replace('[pay.', '[x-pay.')].join('\n'));
  mesh.connections.push(
    connectionOf(
      proxyAt('books-1', '10.0.0.1'),
      { cluster: good },
      { message: 'outbound|443||x-pay.example.com.', nonce: `${bad}=1` },
    ),
  );
  t.deepEqual(mesh.rejections('ServiceEntry/shop/pay'), []);
  t.is(mesh.rejections('ServiceEntry/shop/xpay').length, 1);
});

test('checks are off after every proxy has acknowledged the mesh config that turns them off, and changing until then', (t) => {
  const on = createTestMesh();
  connectAll(on);
  t.is(on.progress().checks, 'on');
  const before = on.configVersion;
  const after = on.setPolicy({ disablePolicyChecks: true });
  t.not(after, before, 'the mesh config is part of the state that proxies acknowledge');
  t.is(on.progress().checks, 'changing');
  connectAll(on, after);
  t.is(on.progress().checks, 'off');
  on.connections[0] = connectionOf(proxyAt('books-1', '10.0.0.1'), { cluster: after, filters: before });
  t.is(on.progress().checks, 'changing');
  on.connections.length = 0;
  t.is(on.progress().checks, 'off');
  t.is(createTestMesh({ mixerCheckServer: '' }).progress().checks, 'off');
});

const RULE = `rule shop/deny {actions: [{handler: refuse, instances: [any]}]}
handler shop/refuse {compiledAdapter: denier}
instance shop/any {compiledTemplate: checknothing}
handler shop/unused {compiledAdapter: denier}`;

test('a rule that checks is needed by the proxies of its services, with all that it names, and by the embedded server', (t) => {
  const mesh = createTestMesh();
  const before = mesh.apply(RULE);
  connectAll(mesh);
  const ofRule = { proxies: 3, ackedProxies: 3, policyServers: 1, ackedPolicyServers: 1 };
  t.like(mesh.progress().objects.get('rule/shop/deny'), ofRule);
  t.like(mesh.progress().objects.get('handler/shop/refuse'), ofRule);
  t.like(mesh.progress().objects.get('instance/shop/any'), ofRule);
  t.is(mesh.shown('handler/shop/unused'), '0/0 1/1');
  mesh.apply(RULE.replace('handler: refuse', 'handler: unused'));
  connectAll(mesh, before);
  t.is(mesh.shown('rule/shop/deny'), '0/3 1/1', 'filters have to know that rules check');
});

test('a rule that only reports needs no proxy', (t) => {
  const mesh = createTestMesh();
  mesh.apply(RULE.replace('checknothing', 'reportnothing'));
  connectAll(mesh);
  t.like(mesh.progress().objects.get('rule/shop/deny'), { proxies: 0, policyServers: 1, ackedPolicyServers: 1 });
});

test('a rule is in force at the navigator-policy processes that have acknowledged it', (t) => {
  const mesh = createTestMesh({ mixerCheckServer: 'policy.mesh-system.svc.cluster.local:9091' });
  const before = mesh.apply(RULE);
  connectAll(mesh);
  const server = (name: string, type: string) =>
    connectionWith(proxyAt(name, '10.0.0.8', { type: 'router', id: name }), [watchOf(type, before)]);
  mesh.connections.push(server('one', POLICY_TYPE_URLS.ruleObject), server('two', POLICY_TYPE_URLS.ruleObject));
  t.is(mesh.shown('rule/shop/deny'), '3/3 2/2');
  mesh.apply(RULE.split('\n')[1]?.replace('denier', 'noop') ?? '');
  t.is(mesh.shown('rule/shop/deny'), '3/3 2/2');
  t.is(mesh.shown('handler/shop/refuse'), '3/3 0/2');
});

test('a rule is not in force at a policy server of an earlier version, which subscribes to no rules', (t) => {
  const mesh = createTestMesh({ mixerCheckServer: 'policy.mesh-system.svc.cluster.local:9091' });
  const version = mesh.apply(`${SPEC}\n${BINDING}\n${RULE}`);
  const proxy = proxyAt('old', '10.0.0.8', { type: 'router' });
  mesh.connections.push(connectionWith(proxy, [watchOf(POLICY_TYPE_URLS.serviceConfig, version)]));
  t.is(mesh.shown('QuotaSpec/shop/books'), '0/0 1/1');
  t.is(mesh.shown('rule/shop/deny'), '0/0 0/1');
});
