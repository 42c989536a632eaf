import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { eventually } from '../support/eventually.js';
import { connectClient } from '../xds/grpc-client.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from './support/manifests.js';
import { startServer } from './support/running-server.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const MESH = { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')) };

test('nav_xds counts connected proxies by the version that they say they have', async (t) => {
  const { http, ...server } = await startServer(t, { files: MESH });
  const [first, second, third] = [
    await connectProxy(t, { http, ...server }, sidecar('10.0.0.1', { MESH_VERSION: '1.7.0' })),
    await connectProxy(t, { http, ...server }, sidecar('10.0.0.2', { MESH_VERSION: '1.7.0' })),
    await connectProxy(t, { http, ...server }, sidecar('10.0.0.3')),
  ];
  t.deepEqual(await http.family('nav_xds'), ['nav_xds{version="1.7.0"} 2', 'nav_xds{version="unknown"} 1']);
  second.close();
  third.close();
  await eventually('they are gone', async () => (await http.metric('nav_xds{version="1.7.0"}')) === 1);
  await eventually(
    'and no proxy of an unknown version is left',
    async () => !(await http.metric('nav_xds{version="unknown"}')),
  );
  t.truthy(first);
});

test('nav_push_triggers has a reason for each change that was merged into a push', async (t) => {
  const server = await startServer(t, { files: MESH });
  const proxy = await connectProxy(t, server, sidecar());
  const trigger = (type: string) => server.http.metric(`nav_push_triggers{type="${type}"}`);
  t.deepEqual(await server.http.family('nav_push_triggers'), []);
  await server.folder.write('web.yaml', documents(service('web'), endpoints('web', '10.0.0.7', '10.0.0.8')));
  await eventually('an endpoint push', async () => (await trigger('endpoint')) === 1);
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  await eventually('a service push', async () => (await trigger('service')) === 1);
  await server.folder.write('shop.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n');
  await eventually('a config push', async () => (await trigger('config')) === 1);
  t.regex((await server.http.get('/debug/adsz?push=true')).body, /^Pushed to 1 servers/);
  t.is(await trigger('debug'), 1);
  await eventually('the proxy is where the server is', () => proxy.isSettled);
  t.deepEqual(
    (await server.http.family('nav_push_triggers')).map((line) => line.replace(/^.*"(.*)".*$/, '$1')).sort(),
    ['config', 'debug', 'endpoint', 'proxy', 'service'],
  );
});

test('a workload that gets a service of its own is pushed to with the reason proxy', async (t) => {
  const server = await startServer(t, { files: MESH });
  const proxy = await connectProxy(t, server, sidecar('10.0.0.8'));
  t.is(await server.http.metric('nav_no_ip'), 1);
  await server.folder.write('web.yaml', documents(service('web'), endpoints('web', '10.0.0.7', '10.0.0.8')));
  await eventually('it has an inbound cluster', () =>
    proxy.namesOf(TypeUrl.cluster).some((name) => name.startsWith('inbound|80|')),
  );
  t.is(await server.http.metric('nav_no_ip'), 0);
  t.is(await server.http.metric('nav_push_triggers{type="proxy"}'), 1);
});

test('nav_inbound_updates counts config, services, removed services and endpoints', async (t) => {
  const server = await startServer(t, { files: { ...MESH, 'pay.yaml': serviceEntry('pay') } });
  const update = async (type: string) => (await server.http.metric(`nav_inbound_updates{type="${type}"}`)) ?? 0;
  t.deepEqual([await update('config'), await update('svc'), await update('svcdelete')], [1, 2, 0]);
  const before = await update('eds');
  await server.folder.remove('pay.yaml');
  await eventually('a removed service', async () => (await update('svcdelete')) === 1);
  t.is(await update('config'), 2);
  await server.folder.write('web.yaml', documents(service('web'), endpoints('web', '10.0.0.9')));
  await eventually('an endpoint update', async () => (await update('eds')) > before);
  t.is(await update('svc'), 2);
});

test('responses, refusals and expired nonces are counted by type', async (t) => {
  const server = await startServer(t, { files: MESH });
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(() => client.close());
  client.send({ node: sidecar().id, typeUrl: TypeUrl.cluster });
  const { nonce } = await client.response(0);
  client.send({ typeUrl: TypeUrl.cluster, nonce: 'something else' });
  client.send({ typeUrl: TypeUrl.cluster, nonce });
  client.send({ typeUrl: TypeUrl.listener });
  const listeners = await client.response(1);
  client.send({ typeUrl: TypeUrl.listener, nonce: listeners.nonce, error: 'no' });
  await eventually('the refusal', async () => (await server.http.metric('nav_total_xds_rejects')) === 1);
  t.deepEqual(await server.http.family('nav_xds_expired_nonce'), ['nav_xds_expired_nonce{type="cds"} 1']);
  t.deepEqual((await server.http.family('nav_xds_pushes')).toSorted(), [
    'nav_xds_pushes{type="cds"} 1',
    'nav_xds_pushes{type="lds"} 1',
  ]);
  t.deepEqual(await server.http.family('nav_xds_lds_reject'), [
    `nav_xds_lds_reject{node="${sidecar().id}",err="INTERNAL"} 1`,
  ]);
  t.deepEqual(await server.http.family('nav_xds_cds_reject'), []);
});

/** Upper bounds that docs/reference/metrics.md names; finer ones may come in addition. */
const BUCKETS: readonly (readonly [string, readonly string[]])[] = [
  ['nav_xds_push_time', ['0.01', '0.1', '1', '3', '5', '10', '20', '30', '+Inf']],
  ['nav_proxy_queue_time', ['0.1', '1', '3', '5', '10', '20', '30', '+Inf']],
  ['nav_proxy_convergence_time', ['0.1', '0.5', '1', '3', '5', '10', '20', '30', '+Inf']],
];

test('times of pushing, queueing and convergence have the buckets that dashboards know', async (t) => {
  const server = await startServer(t, { files: MESH });
  await connectProxy(t, server, sidecar());
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  await eventually(
    'a full push has reached the proxy',
    async () => ((await server.http.metric('nav_proxy_convergence_time_count')) ?? 0) > 0,
  );
  for (const [family, bounds] of BUCKETS) {
    const lines = await server.http.family(`${family}_bucket`);
    for (const bound of bounds)
      t.true(
        lines.some((line) => line.includes(`le="${bound}"`)),
        `${family} ${bound}`,
      );
  }
  for (const type of ['cds', 'eds', 'lds', 'rds']) {
    t.true(((await server.http.metric(`nav_xds_push_time_count{type="${type}"}`)) ?? 0) > 0, type);
  }
});

test('both HTTP listeners serve the same pages', async (t) => {
  const server = await startServer(t, { files: MESH });
  for (const reader of [server.http, server.monitoring]) {
    t.is(await reader.metric('nav_services'), 1);
    t.deepEqual(await reader.get('/ready'), { status: 200, body: '' });
    t.regex((await reader.get('/version')).body, /^\d+\.\d+\.\d+-/);
    t.is((await reader.get('/debug/syncz')).status, 200);
  }
  t.regex((await server.http.family('mesh_build'))[0] ?? '', /^mesh_build\{component="navigator",tag="[^"]*"\} 1$/);
});

test('an endpoint whose pod comes late waits until then', async (t) => {
  const targetRef = { kind: 'Pod', name: 'web-1', namespace: 'shop' };
  const ports = [{ name: 'http', port: 8080 }];
  const early = JSON.stringify({
    ...JSON.parse(endpoints('web')),
    subsets: [{ addresses: [{ ip: '10.0.0.7', targetRef }], ports }],
  });
  const { http, folder } = await startServer(t, { files: { 'web.yaml': documents(service('web'), early) } });
  t.is(await http.metric('nav_k8s_endpoints_pending_pod'), 1);
  t.is(await http.metric('nav_k8s_endpoints_with_no_pods'), 1);
  t.is(await http.metric('endpoint_no_pod'), 1);
  const metadata = { name: 'web-1', namespace: 'shop' };
  await folder.write(
    'pod.yaml',
    JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: {}, status: { podIP: '10.0.0.7' } }),
  );
  await eventually('nothing waits', async () => (await http.metric('nav_k8s_endpoints_pending_pod')) === 0);
  t.is(await http.metric('nav_k8s_endpoints_with_no_pods'), 1);
  t.is(await http.metric('endpoint_no_pod'), 0);
});

test('an endpoint without its pod, one that is not ready and a service without endpoints are counted', async (t) => {
  const empty = documents(service('empty', { clusterIP: '10.96.0.9' }), endpoints('empty'));
  const odd = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'web', namespace: 'shop' },
    subsets: [
      {
        addresses: [{ ip: '10.0.0.7', targetRef: { kind: 'Pod', name: 'nobody', namespace: 'shop' } }],
        notReadyAddresses: [{ ip: '10.0.0.8' }],
        ports: [{ name: 'http', port: 8080 }],
      },
    ],
  });
  const server = await startServer(t, { files: { 'web.yaml': documents(service('web'), odd), 'empty.yaml': empty } });
  await connectProxy(t, server, sidecar());
  t.is(await server.http.metric('endpoint_no_pod'), 1);
  t.is(await server.http.metric('nav_endpoint_not_ready'), 1);
  t.is(await server.http.metric('nav_eds_no_instances'), 1);
  t.true((await server.http.get('/debug/push_status')).body.includes('nobody'));
});

const NETWORKING = 'networking.mesh.internal/v1beta1';
const object = (apiVersion: string, kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name, namespace: 'shop' }, spec });

test('each finding about the mesh is a gauge, and so are the objects that cause none', async (t) => {
  const subset = { host: 'web.shop.svc.cluster.local', subsets: [{ name: 'v1', labels: { version: '1' } }] };
  const server = await startServer(t, {
    files: {
      ...MESH,
      'routes.yaml': object(NETWORKING, 'VirtualService', 'web', {
        hosts: ['web.shop.svc.cluster.local'],
        http: [{ route: [{ destination: { host: 'web.shop.svc.cluster.local' } }] }],
      }),
      'rules.yaml': documents(
        object(NETWORKING, 'DestinationRule', 'one', subset),
        object(NETWORKING, 'DestinationRule', 'two', subset),
      ),
      'twice.yaml': documents(
        serviceEntry('first', { host: 'twice.example.com' }),
        object(NETWORKING, 'ServiceEntry', 'second', {
          hosts: ['twice.example.com'],
          ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
          resolution: 'NONE',
        }),
      ),
      'own.yaml': service('own', { port: 15001, clusterIP: '10.96.0.15' }),
    },
  });
  await connectProxy(t, server, sidecar());
  t.is(await server.http.metric('nav_virt_services'), 1);
  t.is(await server.http.metric('nav_destrule_subsets'), 1);
  t.is(await server.http.metric('nav_duplicate_proxy_clusters'), 1);
  t.is(await server.http.metric('nav_invalid_out_listeners'), 1);
  for (const name of ['web.yaml', 'routes.yaml', 'rules.yaml', 'twice.yaml', 'own.yaml']) {
    await server.folder.remove(name);
  }
  await eventually('no finding is left', async () => (await server.http.metric('nav_invalid_out_listeners')) === 0);
  await eventually('no rule is left', async () => (await server.http.metric('nav_destrule_subsets')) === 0);
  await eventually('no entry is left', async () => (await server.http.metric('nav_duplicate_proxy_clusters')) === 0);
  t.is(await server.http.metric('nav_virt_services'), 0);
});

test('refusals of endpoints and routes are series of their node', async (t) => {
  const server = await startServer(t, { files: MESH });
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(() => client.close());
  const cluster = 'outbound|80||web.shop.svc.cluster.local';
  client.send({ node: sidecar().id, typeUrl: TypeUrl.endpoint, names: [cluster] });
  const { nonce } = await client.response(0);
  client.send({ typeUrl: TypeUrl.endpoint, names: [cluster], nonce, error: 'no' });
  client.send({ typeUrl: TypeUrl.route, names: ['80'] });
  const routes = await client.response(1);
  client.send({ typeUrl: TypeUrl.route, names: ['80'], nonce: routes.nonce, error: 'no' });
  await eventually('both refusals', async () => (await server.http.metric('nav_total_xds_rejects')) === 2);
  const series = `{node="${sidecar().id}",err="INTERNAL"} 1`;
  t.deepEqual(await server.http.family('nav_xds_eds_reject'), [`nav_xds_eds_reject${series}`]);
  t.deepEqual(await server.http.family('nav_xds_rds_reject'), [`nav_xds_rds_reject${series}`]);
});

test('keys of a JWT issuer are outgoing calls, with their failures and retries', async (t) => {
  let answers = 0;
  const issuer = createServer((_request, response) => {
    response.writeHead(answers++ === 0 ? 500 : 200).end('{"keys":[{"kty":"oct","k":"AAAA","kid":"a"}]}');
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  t.teardown(() => issuer.close());
  const jwksUri = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`;
  const rules = { jwtRules: [{ issuer: 'https://issuer.example.com', jwksUri }] };
  const { http } = await startServer(t, {
    files: { 'jwt.yaml': object('security.mesh.internal/v1beta1', 'RequestAuthentication', 'jwt', rules) },
    variables: { NAV_EGRESS_ALLOWED: '127.0.0.0/8' },
  });
  const count = (name: string) => http.metric(`${name}{request_type="jwks"}`);
  await eventually(
    'the first fetch fails',
    async () => (await http.metric('nav_jwks_resolver_network_fetch_fail_total')) === 1,
  );
  t.is(await count('num_failed_outgoing_requests'), 1);
  await eventually('the fetch is repeated', async () => (await count('num_outgoing_retries')) === 1);
  t.true(((await count('num_outgoing_requests')) ?? 0) >= 2);
  t.true(((await count('outgoing_latency')) ?? 0) > 0);
});
