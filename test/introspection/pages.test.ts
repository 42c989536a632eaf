import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { call } from './fixtures/http-client.js';
import { connection, context, endpoint, meshObject, service, watch } from './fixtures/mesh.js';
import { serve } from './fixtures/serve.js';

const WEB = service({
  labels: { version: 'v1', app: 'web' },
  ports: [
    { name: 'http', number: 80, protocol: 'http' },
    { name: 'tcp', number: 9000, protocol: 'tcp' },
  ],
});

const WEB_ENDPOINTS = {
  hostname: WEB.hostname,
  namespace: 'default',
  shards: new Map([
    ['Orchestrator/west', [endpoint({ address: '10.0.0.9', labels: { version: 'v1', app: 'web' } })]],
    [
      'Orchestrator/east',
      [
        endpoint({ address: '10.0.0.2', serviceAccount: 'spiffe://cluster.local/ns/default/sa/web' }),
        endpoint({ address: 'fd00::1', port: 9000, portName: 'tcp' }),
      ],
    ],
  ]),
  serviceAccounts: ['spiffe://cluster.local/ns/default/sa/web'],
};

const MESH = { context: () => context({ services: [WEB], endpoints: [WEB_ENDPOINTS] }) };

test('/ready answers 200 without a body once all probes pass', async (t) => {
  const { port } = await serve(t);
  t.like(await call(port, '/ready'), { status: 200, body: '' });
});

test('/ready answers 503 without a body while one probe fails, rejects or throws', async (t) => {
  const passing = { name: 'sources', check: () => ({ ready: true }) as const };
  const failures = [
    () => ({ ready: false, reason: 'not yet' }) as const,
    () => Promise.reject(new Error('connection refused')),
    () => {
      throw new Error('broken');
    },
  ];
  for (const check of failures) {
    const { port } = await serve(t, { views: { probes: [passing, { name: 'webhooks', check }] } });
    t.like(await call(port, '/ready'), { status: 503, body: '' });
  }
});

test('/metrics shows the metric families with their content type', async (t) => {
  const { port } = await serve(t);
  const { status, headers, body } = await call(port, '/metrics');
  t.is(status, 200);
  t.is(headers['content-type'], 'text/plain; version=0.0.4');
  t.is(body, 'nav_services 1\n');
});

test('/version shows version, revision and status as text', async (t) => {
  const { port } = await serve(t);
  const { headers, body } = await call(port, '/version');
  t.is(body, '1.2.3-abc-Clean');
  t.is(headers['content-type'], 'text/plain; charset=utf-8');
});

test('syncz shows nonces per type and omits empty fields', async (t) => {
  const { port } = await serve(t, {
    views: {
      rejections: () => [
        {
          ...{ at: new Date(0), connection: connection({ proxy: { id: 'sidecar~2' } }).id, nonce: 'x0' },
          ...{ typeUrl: TypeUrl.extensionConfig, code: 'INTERNAL', message: 'no filter' },
          causes: ['EnvoyFilter/shop/old'],
        },
      ],
      connections: () => [
        connection({
          proxy: { id: 'sidecar~2' },
          watches: [
            watch(TypeUrl.cluster, { sentNonce: 'c2', ackedNonce: 'c1' }),
            watch(TypeUrl.listener, { sentNonce: 'l1', rejection: { code: 'Internal', message: 'no', nonce: 'l1' } }),
            watch(TypeUrl.endpoint),
            watch(TypeUrl.extensionConfig, { sentNonce: 'x1', ackedNonce: 'x1' }),
          ],
        }),
        connection({
          proxy: {
            id: 'sidecar~1',
            version: '1.40.0',
            metadata: {
              labels: {},
              instanceIps: [],
              interceptionMode: 'REDIRECT',
              requestedNetworkView: [],
              meshVersion: '1.7.0',
            },
          },
        }),
      ],
    },
  });
  const { headers, body } = await call(port, '/debug/syncz');
  t.is(headers['content-type'], 'application/json; charset=utf-8');
  t.deepEqual(JSON.parse(body), [
    { proxy: 'sidecar~1', proxy_version: '1.40.0', mesh_version: '1.7.0' },
    {
      proxy: 'sidecar~2',
      cluster_sent: 'c2',
      cluster_acked: 'c1',
      listener_sent: 'l1',
      listener_rejection: 'Internal: no',
      extension_config_sent: 'x1',
      extension_config_acked: 'x1',
      extension_config_past_rejection: 'INTERNAL: no filter',
      extension_config_past_rejection_objects: ['EnvoyFilter/shop/old'],
    },
  ]);
});

test('syncz shows proxies on demand, and those that cannot be because they do not speak delta', async (t) => {
  const metadata = { labels: {}, instanceIps: [], interceptionMode: 'REDIRECT', requestedNetworkView: [] } as const;
  const { port } = await serve(t, {
    views: {
      ...MESH,
      connections: () => [
        connection({ proxy: { id: 'sidecar~1', speaksDelta: true, metadata: { ...metadata, onDemand: true } } }),
        connection({ proxy: { id: 'sidecar~2', metadata: { ...metadata, onDemand: true } } }),
      ],
    },
  });
  const { body } = await call(port, '/debug/syncz');
  t.deepEqual(JSON.parse(body), [
    { proxy: 'sidecar~1', on_demand: 'yes' },
    { proxy: 'sidecar~2', on_demand: 'no, because it does not speak delta xDS' },
  ]);
});

test('JSON is indented by two spaces and ends with a line break', async (t) => {
  const { port } = await serve(t, { views: { connections: () => [connection({ proxy: { id: 'a' } })] } });
  t.is((await call(port, '/debug/syncz')).body, '[\n  {\n    "proxy": "a"\n  }\n]\n');
});

test('an empty list stays a list', async (t) => {
  const { port } = await serve(t, { views: { connections: () => [] } });
  t.is((await call(port, '/debug/syncz')).body, '[]\n');
});

test('registryz lists all services, with an empty object at its end', async (t) => {
  const { port } = await serve(t, { views: MESH });
  const [first, last, ...rest] = JSON.parse((await call(port, '/debug/registryz')).body);
  t.like(first, { hostname: WEB.hostname, addresses: ['10.96.0.1'], registry: 'Orchestrator' });
  t.deepEqual(Object.keys(first.labels), ['app', 'version']);
  t.deepEqual(last, {});
  t.is(rest.length, 0);
});

test('endpointz lists the instances of every service port, with an empty object at the end of each list', async (t) => {
  const { port } = await serve(t, { views: MESH });
  const answer = JSON.parse((await call(port, '/debug/endpointz')).body);
  t.is(answer.length, 3);
  t.is(answer[0].svc, `${WEB.hostname}:80`);
  t.deepEqual(
    answer[0].ep.map((instance: { endpoint?: { address: string } }) => instance.endpoint?.address),
    ['10.0.0.2', '10.0.0.9', undefined],
  );
  t.deepEqual(answer[0].ep.at(-1), {});
  t.like(answer[0].ep[0], { service: WEB.hostname, servicePort: { name: 'http', number: 80, protocol: 'http' } });
  t.is(answer[1].svc, `${WEB.hostname}:9000`);
  t.deepEqual(answer[2], {});
});

test('endpointz with brief shows one line of text per instance', async (t) => {
  const { port } = await serve(t, { views: MESH });
  const { headers, body } = await call(port, '/debug/endpointz?brief=1');
  t.is(headers['content-type'], 'text/plain; charset=utf-8');
  t.is(
    body,
    'web.default.svc.cluster.local:http 10.0.0.2:8080 {} spiffe://cluster.local/ns/default/sa/web\n' +
      'web.default.svc.cluster.local:http 10.0.0.9:8080 {app=web,version=v1} \n' +
      'web.default.svc.cluster.local:tcp [fd00::1]:9000 {} \n',
  );
});

test('endpointShardz shows shards and service accounts by service and namespace', async (t) => {
  const { port } = await serve(t, { views: MESH });
  const answer = JSON.parse((await call(port, '/debug/endpointShardz')).body);
  const entry = answer[WEB.hostname].default;
  t.deepEqual(Object.keys(entry), ['Shards', 'ServiceAccounts']);
  t.deepEqual(Object.keys(entry.Shards), ['Orchestrator/east', 'Orchestrator/west']);
  t.is(entry.Shards['Orchestrator/west'][0].address, '10.0.0.9');
  t.deepEqual(entry.ServiceAccounts, ['spiffe://cluster.local/ns/default/sa/web']);
});

test('services that only some namespaces see under the host of another service are shown together with it', async (t) => {
  const own = service({ namespace: 'team', source: 'ServiceEntry/team/web' });
  const ofOwn = {
    ...WEB_ENDPOINTS,
    namespace: 'team',
    shards: new Map([['External/east', [endpoint({ address: '10.9.0.1' })]]]),
  };
  const mesh = context({ services: [WEB], shadowed: [own], endpoints: [ofOwn, WEB_ENDPOINTS] });
  const { port } = await serve(t, { views: { context: () => mesh } });
  const shards = JSON.parse((await call(port, '/debug/endpointShardz')).body);
  t.deepEqual(Object.keys(shards), [WEB.hostname]);
  t.deepEqual(Object.keys(shards[WEB.hostname]), ['default', 'team']);
  const services: { readonly namespace?: string }[] = JSON.parse((await call(port, '/debug/registryz')).body);
  t.deepEqual(
    services.map(({ namespace }) => namespace),
    ['default', 'team', undefined],
  );
  const { body } = await call(port, '/debug/endpointz?brief=1');
  t.is(body.trimEnd().split('\n').at(-1), 'web.default.svc.cluster.local:http 10.9.0.1:8080 {}');
});

test('configz shows objects in the form of files, by kind and name', async (t) => {
  const { port } = await serve(t, {
    views: {
      context: () =>
        context({
          objects: [
            meshObject('ServiceEntry', 'b'),
            meshObject('ServiceEntry', 'a'),
            meshObject('Node', 'n1', {
              apiVersion: 'v1',
              metadata: {
                name: 'n1',
                namespace: '',
                labels: { z: '1', a: '2' },
                annotations: {},
                resourceVersion: '7',
              },
              body: { status: { addresses: [] } },
            }),
          ],
        }),
    },
  });
  t.deepEqual(JSON.parse((await call(port, '/debug/configz')).body), [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1', resourceVersion: '7', labels: { a: '2', z: '1' } },
      status: { addresses: [] },
    },
    ...['a', 'b'].map((name) => ({
      apiVersion: 'networking.mesh.internal/v1beta1',
      kind: 'ServiceEntry',
      metadata: { name, resourceVersion: 'v1', namespace: 'default' },
      spec: { hosts: ['example.com'] },
    })),
  ]);
});

test('resourcesz lists the known kinds, sorted', async (t) => {
  const knownKinds = [
    { group: 'networking.mesh.internal', version: 'v1beta1', kind: 'WorkloadEntry' },
    { group: 'networking.mesh.internal', version: 'v1beta1', kind: 'ServiceEntry' },
    { group: '', version: 'v1', kind: 'Service' },
  ];
  const { port } = await serve(t, { views: { knownKinds } });
  t.deepEqual(JSON.parse((await call(port, '/debug/resourcesz')).body), knownKinds.toReversed());
});

test('instancesz shows each node once, with the instances that it serves', async (t) => {
  const target = { service: WEB, port: { name: 'http', number: 80, protocol: 'http' }, targetPort: 8080 } as const;
  const { port } = await serve(t, {
    views: {
      connections: () => [connection({ id: 'n-1', proxy: { id: 'n' } }), connection({ id: 'n-2', proxy: { id: 'n' } })],
      context: () => context({ targetsOf: () => [target] }),
    },
  });
  const { body } = await call(port, '/debug/instancesz');
  t.is(body.match(/"n":/g)?.length, 1);
  t.deepEqual(JSON.parse(body), {
    n: [{ service: WEB.hostname, servicePort: target.port, endpoint: { address: '10.0.0.1', port: 8080 } }],
  });
});

test('push_status shows proxy and message by metric and key, and is empty before the first push', async (t) => {
  const before = await serve(t);
  t.deepEqual(JSON.parse((await call(before.port, '/debug/push_status')).body), {});
  const { port } = await serve(t, {
    views: {
      pushStatus: () => [
        { metric: 'nav_no_ip', key: 'p2', message: 'no service selects it', proxy: 'p2' },
        { metric: 'nav_no_ip', key: 'p1', message: 'no service selects it', proxy: 'p1' },
        { metric: 'endpoint_no_pod', key: '10.0.0.1', message: 'no pod' },
      ],
    },
  });
  const { body } = await call(port, '/debug/push_status');
  t.deepEqual(JSON.parse(body), {
    endpoint_no_pod: { '10.0.0.1': { message: 'no pod' } },
    nav_no_ip: {
      p1: { proxy: 'p1', message: 'no service selects it' },
      p2: { proxy: 'p2', message: 'no service selects it' },
    },
  });
  t.true(body.indexOf('"p1": {') < body.indexOf('"p2": {'));
});

test('mesh shows the mesh config in force', async (t) => {
  const { port } = await serve(t);
  t.like(JSON.parse((await call(port, '/debug/mesh')).body), { proxyListenPort: 15001, trustDomain: 'cluster.local' });
});

test('config_problems lists rejected files and objects, by file and document', async (t) => {
  const problems = [
    { file: 'b.yaml', reason: 'not YAML' },
    { file: 'a.yaml', document: 2, object: 'Service/default/web', field: 'spec.ports[0].port', reason: 'must be set' },
    { file: 'a.yaml', document: 1, reason: 'unknown kind' },
  ];
  const { port } = await serve(t, { views: { problems: () => problems } });
  t.deepEqual(JSON.parse((await call(port, '/debug/config_problems')).body), problems.toReversed());
});

for (const page of ['registryz', 'endpointz', 'endpointShardz', 'configz', 'instancesz', 'mesh']) {
  test(`${page} answers 503 with the reason before the configuration has been read`, async (t) => {
    const { port } = await serve(t, { views: { context: () => undefined } });
    const { status, body } = await call(port, `/debug/${page}`);
    t.is(status, 503);
    t.regex(body, /has not read the whole configuration yet/);
  });
}
