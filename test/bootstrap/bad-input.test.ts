import { symlink } from 'node:fs/promises';
import { status } from '@grpc/grpc-js';
import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { eventually } from '../support/eventually.js';
import { connectClient } from '../xds/grpc-client.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from './support/manifests.js';
import { type RunningServer, startServer } from './support/running-server.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const WEB = 'outbound|80||web.shop.svc.cluster.local';
const MESH = { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')) };

interface Problem {
  readonly file: string;
  readonly document?: number;
  readonly line?: number;
  readonly object?: string;
  readonly field?: string;
  readonly reason: string;
}

const problemsOf = (server: RunningServer): Promise<Problem[]> => server.http.json('/debug/config_problems');

/** Files that are at fault, and what is said about each. */
const BAD_FILES: readonly (readonly [string, string, Partial<Problem>, RegExp])[] = [
  ['unparsable YAML', 'kind: [unclosed\n', { document: 1 }, /is not valid YAML or JSON/],
  [
    'unparsable YAML in a later document',
    `${serviceEntry('ok')}\n---\na: b: c\n`,
    { document: 2, line: 3 },
    /is not valid YAML or JSON/,
  ],
  ['a list where an object belongs', '- 1\n- 2\n', { document: 1 }, /object/],
  ['no kind', 'apiVersion: v1\nmetadata: { name: x }\n', { document: 1 }, /kind/],
  ['no name', 'apiVersion: v1\nkind: Service\nspec: {}\n', { field: 'metadata.name' }, /name/],
  [
    'an unknown field',
    serviceEntry('pay').replace('"resolution"', '"resolutions"'),
    { object: 'ServiceEntry/shop/pay', field: 'spec.resolutions' },
    /resolution/,
  ],
  [
    'a value out of range',
    serviceEntry('pay').replace('"number":80', '"number":70000'),
    { object: 'ServiceEntry/shop/pay', field: 'spec.ports[0].number' },
    /70000.*65535|65535.*70000/,
  ],
  [
    'one object twice in a file',
    documents(serviceEntry('pay'), serviceEntry('pay', { host: 'b.example.com' })),
    { object: 'ServiceEntry/shop/pay' },
    /ServiceEntry/,
  ],
  [
    'a YAML bomb',
    `a: &a [1,1,1,1,1,1,1,1,1,1]\n${'bcdefghij'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]},`.repeat(10)}]\n`)
      .join('')}`,
    { document: 1 },
    /alias|anchor|expan/i,
  ],
];

for (const [what, text, where, reason] of BAD_FILES) {
  test(`${what}: the problem is shown with its place, and the rest of the mesh is served on`, async (t) => {
    const server = await startServer(t, { files: { ...MESH, 'bad.yaml': text } });
    const proxy = await connectProxy(t, server, sidecar());
    t.true(proxy.namesOf(TypeUrl.cluster).includes(WEB));
    const [problem, ...others] = await problemsOf(server);
    t.deepEqual(others, []);
    t.like(problem, { file: 'bad.yaml', ...where });
    t.regex(problem?.reason ?? '', reason);
    const [line] = server.logged('configuration is refused, its last good state is served');
    t.is(line?.['file'], 'bad.yaml');
    t.is(line?.['reason'], problem?.reason);
    await server.folder.write('bad.yaml', serviceEntry('pay'));
    await eventually('it is in order again', async () => (await problemsOf(server)).length === 0);
    await eventually('it is served', () => proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com'));
  });
}

test('a file that becomes bad keeps its last good state, and says so until it is good or gone', async (t) => {
  const server = await startServer(t, { files: MESH });
  const proxy = await connectProxy(t, server, sidecar());
  await server.folder.write('web.yaml', `${MESH['web.yaml']}\n---\nkind: [\n`);
  await eventually('the problem is shown', async () => (await problemsOf(server)).length === 1);
  await server.folder.write('other.yaml', serviceEntry('pay'));
  await eventually('other changes are served', () =>
    proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com'),
  );
  t.true(proxy.namesOf(TypeUrl.cluster).includes(WEB));
  await server.folder.remove('web.yaml');
  await eventually('it is gone', () => !proxy.namesOf(TypeUrl.cluster).includes(WEB));
  t.deepEqual(await problemsOf(server), []);
});

test('unknown kinds and versions are problems with "did you mean", and kinds of Kubernetes stay quiet', async (t) => {
  const mixed = documents(
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\n',
    serviceEntry('old').replace('v1beta1', 'v1alpha1'),
    'apiVersion: config.mesh.internal/v1alpha2\nkind: QuotaSpecs\nmetadata: { name: limits, namespace: shop }\n',
    serviceEntry('pay'),
  );
  const server = await startServer(t, { files: { ...MESH, 'mixed.yaml': mixed } });
  const proxy = await connectProxy(t, server, sidecar());
  t.true(proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com'));
  t.false(proxy.namesOf(TypeUrl.cluster).includes('outbound|80||old.example.com'));
  const [version, kind, ...others] = await problemsOf(server);
  t.deepEqual(others, []);
  t.like(version, { file: 'mixed.yaml', document: 2, field: 'apiVersion' });
  t.regex(version?.reason ?? '', /did you mean networking\.mesh\.internal\/v1beta1/);
  t.like(kind, { document: 3, object: 'QuotaSpecs/shop/limits', field: 'kind' });
  t.regex(kind?.reason ?? '', /did you mean QuotaSpec\?/);
  t.is(server.logged('object of an unknown kind is skipped').length, 2);
  t.false(server.log.some(({ level, ...line }) => level !== 'debug' && JSON.stringify(line).includes('Deployment')));
});

test('one object in two files: one of them is served and the other is told of', async (t) => {
  const server = await startServer(t, {
    files: { ...MESH, 'a.yaml': serviceEntry('pay'), 'b.yaml': serviceEntry('pay', { host: 'b.example.com' }) },
  });
  const [problem, ...others] = await problemsOf(server);
  t.deepEqual(others, []);
  t.is(problem?.object, 'ServiceEntry/shop/pay');
  t.regex(JSON.stringify(problem), /a\.yaml.*b\.yaml|b\.yaml.*a\.yaml/);
  const proxy = await connectProxy(t, server, sidecar());
  const served = proxy.namesOf(TypeUrl.cluster).filter((name) => name.endsWith('.example.com'));
  t.is(served.length, 1);
  await server.folder.remove(problem?.file === 'a.yaml' ? 'b.yaml' : 'a.yaml');
  await eventually('the other one takes over', () => {
    const now = proxy.namesOf(TypeUrl.cluster).filter((name) => name.endsWith('.example.com'));
    return now.length === 1 && now[0] !== served[0];
  });
  t.deepEqual(await problemsOf(server), []);
});

test('a folder that is deleted keeps being served, and is read again when it is back', async (t) => {
  const server = await startServer(t, { files: MESH });
  const proxy = await connectProxy(t, server, sidecar());
  await server.folder.remove('.');
  await eventually('the loss is shown', async () => (await problemsOf(server)).length === 1);
  const late = await connectProxy(t, server, sidecar('10.0.0.2'));
  t.true(late.namesOf(TypeUrl.cluster).includes(WEB));
  await server.folder.write('new.yaml', serviceEntry('pay'));
  await eventually('the new content is served', () => {
    const names = proxy.namesOf(TypeUrl.cluster);
    return names.includes('outbound|80||pay.example.com') && !names.includes(WEB);
  });
  await eventually('the problem is over', async () => (await problemsOf(server)).length === 0);
});

test('links in a circle, dangling links and links to folders do no harm', async (t) => {
  const server = await startServer(t, { files: { ...MESH, 'sub/pay.yaml': serviceEntry('pay') } });
  const proxy = await connectProxy(t, server, sidecar());
  await symlink('.', server.folder.at('circle'));
  await symlink('nowhere.yaml', server.folder.at('dangling.yaml'));
  await symlink('../sub', server.folder.at('sub/again'));
  await server.folder.write('more.yaml', serviceEntry('more'));
  await eventually('changes are served', () =>
    proxy.namesOf(TypeUrl.cluster).includes('outbound|80||more.example.com'),
  );
  const problems = await problemsOf(server);
  t.deepEqual(
    problems.map(({ file }) => file),
    ['dangling.yaml'],
  );
});

/** First requests that end a stream, and what the proxy is told. */
const BAD_NODES: readonly (readonly [string, string | undefined, RegExp])[] = [
  ['no node', undefined, /^missing node ID: the first request of a stream must carry/],
  ['an empty node id', '', /^missing node ID/],
  [
    'a node id with too few parts',
    'sidecar~10.0.0.1~pod.ns',
    /^missing parts in the service node "sidecar~10\.0\.0\.1~pod\.ns"/,
  ],
  ['an unknown node type', 'ingress~10.0.0.1~pod.ns~ns.svc.cluster.local', /^invalid node type .*sidecar, router/],
  [
    'a node without an address',
    'sidecar~nowhere~pod.ns~ns.svc.cluster.local',
    /^no valid IP address in the service node id or metadata/,
  ],
  ['a node id of 256 KiB', `sidecar~10.0.0.1~${'x'.repeat(1 << 18)}.ns~ns.svc`, /characters, at most/],
  ['a node id with a line break', 'sidecar~10.0.0.1~a\nb.ns~ns.svc', /control characters/],
];

for (const [what, node, reason] of BAD_NODES) {
  test(`${what} ends the stream with INVALID_ARGUMENT, a reason and a log line`, async (t) => {
    const server = await startServer(t, { files: MESH });
    const client = connectClient(server.grpcPort, ADS);
    t.teardown(() => client.close());
    client.send({ typeUrl: TypeUrl.cluster, ...(node === undefined ? {} : { node }) });
    const { code, details } = await client.ended();
    t.is(code, status.INVALID_ARGUMENT);
    t.regex(details, reason);
    t.true(details.length < 1000);
    t.is(server.logged('stream refused')[0]?.['reason'], details);
    const other = await connectProxy(t, server, sidecar());
    t.true(other.namesOf(TypeUrl.cluster).includes(WEB));
    t.is(await server.http.metric('nav_xds{version="unknown"}'), 1);
  });
}

test('a node id with markup is shown as text', async (t) => {
  const server = await startServer(t, { files: MESH });
  await connectProxy(t, server, {
    id: 'sidecar~10.0.0.1~<img src=x onerror=alert(1)>.shop~shop.svc',
    cluster: '"><b>',
    metadata: { MESH_VERSION: '<script>"' },
  });
  const { body } = await server.http.get('/debug');
  t.true(body.includes('&lt;img src=x onerror=alert(1)&gt;'));
  t.false(body.includes('<img'));
  t.is(await server.http.metric('nav_xds{version="<script>\\""}'), 1);
});

test('a type that is not served is named in one warning, and the stream goes on', async (t) => {
  const server = await startServer(t, { files: MESH });
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(() => client.close());
  client.send({ node: sidecar().id, typeUrl: 'type.googleapis.com/envoy.service.runtime.v3.Runtime' });
  client.send({ typeUrl: 'type.googleapis.com/envoy.service.runtime.v3.Runtime' });
  client.send({ typeUrl: TypeUrl.cluster });
  t.is((await client.response(0)).typeUrl, TypeUrl.cluster);
  const warnings = server.log.filter(({ level, scope }) => level === 'warn' && scope === 'ads');
  t.is(warnings.length, 1);
  t.is(warnings[0]?.['typeUrl'], 'type.googleapis.com/envoy.service.runtime.v3.Runtime');
});

test('secrets that are asked for on the plaintext listener are not served, and one warning says where they are', async (t) => {
  const server = await startServer(t, { files: MESH, variables: { ENABLE_CA_SERVER: 'true' } });
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(() => client.close());
  client.send({ node: sidecar().id, typeUrl: TypeUrl.secret, names: ['default', 'ROOTCA'] });
  client.send({ typeUrl: TypeUrl.secret, names: ['default', 'ROOTCA'] });
  client.send({ typeUrl: TypeUrl.cluster });
  t.is((await client.response(0)).typeUrl, TypeUrl.cluster);
  const warnings = server.log.filter(({ level, scope }) => level === 'warn' && scope === 'ads');
  t.is(warnings.length, 1);
  t.regex(String(warnings[0]?.['remedy']), /secured port/);
});

test('a refusal is logged, counted and shown with its reason, and not answered', async (t) => {
  const server = await startServer(t, { files: MESH });
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(() => client.close());
  client.send({ node: sidecar().id, typeUrl: TypeUrl.cluster });
  const { nonce } = await client.response(0);
  client.send({ typeUrl: TypeUrl.cluster, nonce, error: 'cluster "x" <b>is bad</b>' });
  await eventually(
    'the log line',
    () => server.logged('proxy rejected its configuration and keeps the last accepted one').length === 1,
  );
  t.like(server.logged('proxy rejected its configuration and keeps the last accepted one')[0], {
    level: 'warn',
    type: 'cds',
    code: 'INTERNAL',
    rejection: 'cluster "x" <b>is bad</b>',
  });
  t.is(await server.http.metric('nav_total_xds_rejects'), 1);
  t.is(await server.http.metric(`nav_xds_cds_reject{node="${sidecar().id}",err="INTERNAL"}`), 1);
  t.regex((await server.http.get('/debug/syncz')).body, /INTERNAL: cluster \\"x\\" <b>is bad/);
  t.false((await server.http.get('/debug')).body.includes('<b>is bad'));
  t.is(client.responses.length, 1);
});
