import test from 'ava';
import type { PolicyMeshConfig } from '../../src/config/mesh/mesh-config.js';
import { createMessageEncoder, frameNamedResource } from '../../src/envoy/message-encoder.js';
import type { PolicyConfigs } from '../../src/introspection/views.js';
import { uncheckedReason } from '../../src/model/policy/explain-policy.js';
import type { PolicyOverrides } from '../../src/model/policy/read-policy-overrides.js';
import type { PushContext } from '../../src/model/push-context.js';
import { EVERYTHING_ON, meshWith } from '../model/policy/mesh-with.js';
import { ofCluster } from '../model/policy/tenant-objects.js';
import { call } from './fixtures/http-client.js';
import { connection, context, meshObject, service } from './fixtures/mesh.js';
import { registry, serve } from './fixtures/serve.js';

const encoder = createMessageEncoder(registry);
const framed = (type: string, name: string, message: object) => {
  const typeUrl = `type.googleapis.com/mesh.policy.v1.${type}`;
  return frameNamedResource(typeUrl, name, encoder.encode(typeUrl, message));
};

const WEB = service();
const HOST = WEB.hostname;
const CONFIGS: PolicyConfigs = {
  http: [
    framed('HttpClientConfig', 'inbound', { serviceConfigs: { default: { disableCheckCalls: true } } }),
    framed('HttpClientConfig', 'outbound', { defaultDestinationService: 'default' }),
  ],
  tcp: [framed('TcpClientConfig', `outbound|9000||${HOST}`, { reportInterval: { seconds: 10 } })],
  services: [
    framed('ServiceConfig', HOST, { quotaSpec: [{ rules: [{ quotas: [{ quota: 'requests', charge: 1 }] }] }] }),
    framed('ServiceConfig', 'other.example.com', {}),
  ],
};

const SPEC = meshObject('QuotaSpec', 'requests', { body: { rules: [{ quotas: [{ quota: 'requests', charge: 1 }] }] } });
const BINDING = meshObject('QuotaSpecBinding', 'requests', {
  body: { services: [{ service: HOST }], quotaSpecs: [{ name: 'requests' }, { name: 'gone' }] },
});
const API = meshObject('HTTPAPISpec', 'pets', { body: { patterns: [], apiKeys: [] } });
const API_BINDING = meshObject('HTTPAPISpecBinding', 'pets', {
  body: { services: [{ service: '*' }], apiSpecs: [{ name: 'pets' }] },
});

function contextWith(policy: Partial<PolicyMeshConfig>, objects = [SPEC, BINDING, API, API_BINDING]): PushContext {
  const targets = WEB.ports.map((port) => ({ service: WEB, port, targetPort: 8080 }));
  return { ...context({ services: [WEB], objects, targetsOf: () => targets }), mesh: meshWith(policy) };
}

type Page = Readonly<Record<string, Readonly<Record<string, unknown>> & readonly Readonly<Record<string, unknown>>[]>>;

async function read(
  t: Parameters<typeof serve>[0],
  snapshot: PushContext,
  { configs = CONFIGS, overrides }: { configs?: PolicyConfigs | undefined; overrides?: PolicyOverrides } = {},
): Promise<Page> {
  const web = connection({ id: 'sidecar~web-1' });
  const { policy: _, ...metadata } = web.proxy.metadata;
  const proxy = { ...web.proxy, metadata: { ...metadata, ...(overrides && { policy: overrides }) } };
  const { port } = await serve(t, {
    views: { connections: () => [{ ...web, proxy }], context: () => snapshot, policyConfigsOf: () => configs },
  });
  const { status, body } = await call(port, '/debug/policyz?proxyID=web-1');
  t.is(status, 200);
  return JSON.parse(body);
}

test('policyz answers 400 without proxyID and 404 for a proxy that is not connected here', async (t) => {
  const { port } = await serve(t);
  const { status, body } = await call(port, '/debug/policyz');
  t.is(status, 400);
  t.is(body, 'You must provide a proxyID in the query string\n');
  t.is((await call(port, '/debug/policyz?proxyID=nobody')).status, 404);
});

test("policyz shows the specs of the workload's services, and that proxies check them", async (t) => {
  const page = await read(t, contextWith(EVERYTHING_ON));
  t.deepEqual(page['services'], [
    {
      service: HOST,
      checks: { on: true },
      quotaSpecs: ['QuotaSpec/default/requests'],
      apiSpecs: ['HTTPAPISpec/default/pets'],
      rules: [],
      missing: ['QuotaSpec/default/gone'],
    },
  ]);
  t.deepEqual(page['checks'], {
    inbound: { on: true },
    outbound: { on: true },
    server: 'embedded',
    failPolicy: 'FAIL_CLOSE',
  });
  t.deepEqual(page['reports'], { http: { on: true }, tcp: { on: true }, server: 'embedded' });
});

test('policyz shows the ports that belong to an older service, and that the policies of the newer service have no effect', async (t) => {
  const older = { ...WEB, hostname: 'old.default.svc.cluster.local', creationTimestamp: '2020-01-01T00:00:00Z' };
  const younger = { ...WEB, creationTimestamp: '2026-01-01T00:00:00Z' };
  const [first] = WEB.ports;
  if (first === undefined) throw new Error('the service has no port');
  const contested = [older, younger].map((service) => ({ service, port: first, targetPort: 8080 }));
  const readChecks = async (targets: typeof contested): Promise<readonly unknown[]> => {
    const page = await read(t, { ...contextWith(EVERYTHING_ON), targetsOf: () => targets });
    return (page['services'] ?? []).map(({ service, checks, shadowed }) => [service, checks, shadowed]);
  };
  const shadowed = [{ port: 8080, servedFor: older.hostname }];
  const why = `port 8080 belongs to the older service ${older.hostname}`;
  t.deepEqual(await readChecks(contested), [
    [older.hostname, { on: true }, undefined],
    [HOST, { on: false, why }, shadowed],
  ]);
  t.deepEqual((await readChecks([...contested, { service: younger, port: first, targetPort: 9090 }]))[1], [
    HOST,
    { on: true },
    shadowed,
  ]);
});

test("policyz shows the client configurations in force, for inbound with those of the workload's services", async (t) => {
  const page = await read(t, contextWith(EVERYTHING_ON));
  t.deepEqual(page['httpClientConfigs'], {
    inbound: {
      serviceConfigs: {
        default: { disableCheckCalls: true },
        [HOST]: { quotaSpec: [{ rules: [{ quotas: [{ quota: 'requests', charge: 1 }] }] }] },
      },
    },
    outbound: { defaultDestinationService: 'default' },
  });
  t.deepEqual(page['tcpClientConfigs'], { [`outbound|9000||${HOST}`]: { reportInterval: '10s' } });
});

const REASONS: readonly (readonly [
  string,
  Partial<PolicyMeshConfig>,
  PolicyOverrides | undefined,
  'inbound' | 'outbound',
  string | undefined,
])[] = [
  [
    'no server',
    { ...EVERYTHING_ON, mixerCheckServer: '' },
    undefined,
    'inbound',
    'mixerCheckServer of the mesh config names no server to ask',
  ],
  [
    'disablePolicyChecks',
    { ...EVERYTHING_ON, disablePolicyChecks: true },
    undefined,
    'inbound',
    'disablePolicyChecks of the mesh config is true',
  ],
  [
    'enableClientSidePolicyCheck',
    { ...EVERYTHING_ON, enableClientSidePolicyCheck: false },
    undefined,
    'outbound',
    'enableClientSidePolicyCheck of the mesh config is false',
  ],
  ['metadata disable', EVERYTHING_ON, { check: 'disable' }, 'inbound', "check in the proxy's metadata is disable"],
  ['metadata enable', { ...EVERYTHING_ON, disablePolicyChecks: true }, { check: 'enable' }, 'inbound', undefined],
];

for (const [title, mesh, overrides, direction, why] of REASONS) {
  test(`policyz shows why a proxy checks or not: ${title}`, async (t) => {
    const page = await read(t, contextWith(mesh), overrides === undefined ? {} : { overrides });
    const expected = why === undefined ? { on: true } : { on: false, why };
    t.deepEqual(page['checks']?.[direction], expected);
    if (direction === 'inbound') t.deepEqual(page['services']?.[0]?.['checks'], expected);
  });
}

test('policyz shows that a router checks its requests, for any setting of enableClientSidePolicyCheck', (t) => {
  const mesh = meshWith({ ...EVERYTHING_ON, enableClientSidePolicyCheck: false });
  const { metadata } = connection().proxy;
  t.is(uncheckedReason(mesh, { type: 'router', metadata }, 'outbound'), undefined);
  t.not(uncheckedReason(mesh, { type: 'sidecar', metadata }, 'outbound'), undefined);
});

test('policyz shows that the embedded server does not check a service without bindings', async (t) => {
  const why = 'no QuotaSpecBinding, HTTPAPISpecBinding or Plan names the service, and no rule checks its requests';
  const embedded = await read(t, contextWith(EVERYTHING_ON, [SPEC]));
  t.deepEqual(embedded['services']?.[0]?.['checks'], { on: false, why });
  const external = await read(t, contextWith({ ...EVERYTHING_ON, mixerCheckServer: 'p.x:1' }, [SPEC]));
  t.deepEqual(external['services']?.[0]?.['checks'], { on: true });
});

test('policyz shows the rules that decide about the requests of a service, which the embedded server then checks', async (t) => {
  const rules = [
    ofCluster('instance default/any {compiledTemplate: checknothing, params: {}}'),
    ofCluster('instance default/line {compiledTemplate: logentry, params: {}}'),
    ...['closed {actions: [{handler: h, instances: [any]}]', 'log {actions: [{handler: h, instances: [line]}]'].map(
      (text) => ofCluster(`rule default/${text}}`),
    ),
    ofCluster('rule elsewhere/other {requestHeaderOperations: [{name: x, values: [request.path]}]}'),
  ];
  const page = await read(t, contextWith(EVERYTHING_ON, rules));
  const [service] = page['services'] ?? [];
  t.deepEqual(service?.['rules'], ['rule/default/closed']);
  t.deepEqual(service?.['checks'], { on: true });
});

test("policyz names the bindings without a grant of the service's namespace, with the command that grants it", async (t) => {
  const binding = ofCluster('QuotaSpecBinding evil/b {services: [{service: "*"}], quotaSpecs: [{name: none}]}');
  const spec = ofCluster('QuotaSpec evil/none {rules: [{quotas: [{quota: q}]}]}');
  const context = contextWith(EVERYTHING_ON, [spec, binding]);
  const [service] = (await read(t, context))['services'] ?? [];
  t.deepEqual(service?.['checks'], {
    on: false,
    why: 'the namespace of the service has granted no binding that names it',
  });
  t.deepEqual(service?.['quotaSpecs'], []);
  const grant = 'kubectl annotate --overwrite namespace default policy.mesh.internal/bindings-from=evil';
  t.deepEqual(service?.['notGranted'], [{ binding: 'QuotaSpecBinding/evil/b', grant }]);
});

test('policyz shows why nothing is reported', async (t) => {
  const quiet = await read(t, contextWith({ ...EVERYTHING_ON, disableMixerHttpReports: true }));
  t.deepEqual(quiet['reports']?.['http'], { on: false, why: 'disableMixerHttpReports of the mesh config is true' });
  t.deepEqual(quiet['reports']?.['tcp'], { on: true });
  const none = await read(t, contextWith({ ...EVERYTHING_ON, mixerReportServer: '' }));
  const why = 'mixerReportServer of the mesh config names no server to report to';
  t.deepEqual(none['reports']?.['tcp'], { on: false, why });
});

test('policyz shows that the plugin is off', async (t) => {
  const web = connection({ id: 'web-1' });
  const { port } = await serve(t, {
    views: { connections: () => [web], context: () => contextWith(EVERYTHING_ON), policyConfigsOf: () => undefined },
  });
  const page = JSON.parse((await call(port, '/debug/policyz?proxyID=web-1')).body) as Page;
  t.deepEqual(page['checks']?.['inbound'], { on: false, why: '--plugins does not name policy' });
  t.deepEqual(page['reports']?.['http'], { on: false, why: '--plugins does not name policy' });
  t.deepEqual(page['httpClientConfigs'], {});
});

test('policyz shows the fail policy of a service, and the object that sets it', async (t) => {
  const snapshot = contextWith(EVERYTHING_ON);
  const annotated = { ...WEB, failPolicy: { policy: 'FAIL_CLOSE', maxRetry: 2 } } as const;
  const targets = WEB.ports.map((port) => ({ service: annotated, port, targetPort: 8080 }));
  const { services = [] } = (await read(t, { ...snapshot, targetsOf: () => targets })) as unknown as Page;
  t.like(services[0], {
    networkFailPolicy: { policy: 'FAIL_CLOSE', maxRetry: 2, maxRetryWait: '1s', annotatedBy: WEB.source },
  });
});
