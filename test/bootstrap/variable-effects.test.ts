import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { discoveryRequest } from '../xds/session-rig.js';
import { createCleanup, type Teardown } from './support/cleanup.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from './support/manifests.js';
import type { ProxyClient } from './support/proxy-client.js';
import { startServer } from './support/running-server.js';

const json = (apiVersion: string, kind: string, name: string, rest: object, labels = {}): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name, namespace: 'shop', labels }, ...rest });

/** A Service of one port, with one endpoint. */
function port(name: string, portName: string, number: number, { clusterIP = '', ip = '10.0.0.20' } = {}): string {
  const ports = [{ name: portName, port: number }];
  return documents(
    json('v1', 'Service', name, { spec: { clusterIP, ports: [{ ...ports[0], targetPort: number }] } }),
    json('v1', 'Endpoints', name, { subsets: [{ addresses: [{ ip }], ports }] }),
  );
}

const labels = { app: 'vm' };
const MESH = {
  'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')),
  'data.yaml': port('data', 'data', 9000, { clusterIP: '10.96.0.2', ip: '10.0.0.7' }),
  'db.yaml': port('db', 'tcp', 5432, { clusterIP: 'None' }),
  'redis.yaml': port('redis', 'redis', 6379, { clusterIP: '10.96.0.3' }),
  'thrift.yaml': port('thrift', 'thrift', 9090, { clusterIP: '10.96.0.4' }),
  'slice.yaml': json(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    'web-1',
    {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.77'], conditions: { ready: true } }],
      ports: [{ name: 'http', port: 8080 }],
    },
    { 'kubernetes.io/service-name': 'web' },
  ),
  'pay.yaml': serviceEntry('pay', { labels: { 'mesh.internal/rev': 'blue' } }),
  'vm.yaml': documents(
    json('v1', 'Service', 'vm', {
      spec: { clusterIP: '10.96.0.5', selector: labels, ports: [{ name: 'http', port: 8000, targetPort: 8080 }] },
    }),
    json('networking.mesh.internal/v1beta1', 'WorkloadEntry', 'vm', { spec: { address: '10.0.0.30', labels } }),
  ),
  'pods.yaml': documents(
    json('networking.mesh.internal/v1beta1', 'ServiceEntry', 'pods', {
      spec: {
        hosts: ['pods.example.com'],
        ports: [{ number: 8100, name: 'http', protocol: 'HTTP' }],
        resolution: 'STATIC',
        location: 'MESH_INTERNAL',
        workloadSelector: { labels: { app: 'pods' } },
      },
    }),
    json(
      'v1',
      'Pod',
      'pods-1',
      {
        spec: { containers: [] },
        status: { podIP: '10.0.0.40', phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      },
      { app: 'pods' },
    ),
  ),
};

interface Effect {
  /** A variable, or a flag with its dashes. */
  readonly setting: string;
  readonly value: string;
  readonly type: string;
  /** The resource that shows the effect; empty: the names of all. */
  readonly resource?: string;
  /** In the resource with the setting, and not without it. */
  readonly appears?: string;
  /** In the resource without the setting, and not with it. */
  readonly vanishes?: string;
}

const { cluster, endpoint, listener, route } = TypeUrl;
const WEB = 'outbound|80||web.shop.svc.cluster.local';
const DB = 'outbound|5432||db.shop.svc.cluster.local';

const EFFECTS: readonly Effect[] = [
  { setting: 'MESH_DEFAULT_REQUEST_TIMEOUT', value: '7s', type: route, resource: '80', appears: '"7s"' },
  { setting: 'NAV_ENABLE_EDS_FOR_HEADLESS_SERVICES', value: 'true', type: cluster, resource: DB, appears: '"EDS"' },
  {
    setting: 'NAV_ENABLE_HEADLESS_SERVICE_POD_LISTENERS',
    value: 'false',
    type: listener,
    appears: '"0.0.0.0_5432"',
    vanishes: '"10.0.0.20_5432"',
  },
  {
    setting: 'NAV_ENABLE_PROTOCOL_SNIFFING_FOR_INBOUND',
    value: 'false',
    type: listener,
    resource: 'virtualInbound',
    vanishes: 'http_inspector',
  },
  {
    setting: 'NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND',
    value: 'false',
    type: listener,
    resource: '10.96.0.2_9000',
    vanishes: 'http_inspector',
  },
  {
    setting: 'NAV_ENABLE_KEYVALUE_FILTER',
    value: 'true',
    type: listener,
    resource: '10.96.0.3_6379',
    appears: 'redis_proxy',
  },
  {
    setting: 'NAV_ENABLE_THRIFT_FILTER',
    value: 'true',
    type: listener,
    resource: '10.96.0.4_9090',
    appears: 'thrift_proxy',
  },
  { setting: 'NAV_ENABLE_SERVICEENTRY_SELECT_PODS', value: 'false', type: endpoint, vanishes: '10.0.0.40' },
  { setting: 'NAV_ENABLE_ORCH_SELECT_WORKLOAD_ENTRIES', value: 'false', type: endpoint, vanishes: '10.0.0.30' },
  { setting: 'NAV_HTTP10', value: 'true', type: listener, resource: '0.0.0.0_80', appears: '"acceptHttp_10":true' },
  {
    setting: 'NAV_INBOUND_PROTOCOL_DETECTION_TIMEOUT',
    value: '7s',
    type: listener,
    resource: 'virtualInbound',
    appears: '"listenerFiltersTimeout":"7s"',
  },
  { setting: 'NAV_INITIAL_FETCH_TIMEOUT', value: '7s', type: cluster, resource: WEB, appears: '"7s"' },
  {
    setting: 'NAV_SIDECAR_USE_REMOTE_ADDRESS',
    value: 'true',
    type: listener,
    resource: '0.0.0.0_80',
    appears: '"useRemoteAddress":true',
  },
  {
    setting: 'NAV_TRACE_SAMPLING',
    value: '12.5',
    type: listener,
    resource: '0.0.0.0_80',
    appears: '"randomSampling":{"value":12.5}',
  },
  {
    setting: 'NAV_USE_ENDPOINT_SLICE',
    value: 'true',
    type: endpoint,
    appears: '10.0.0.77',
  },
  { setting: 'REVISION', value: 'green', type: cluster, vanishes: 'pay.example.com' },
  { setting: '--domain', value: 'other.local', type: cluster, appears: '|web.shop.svc.other.local"' },
  { setting: '--appNamespace', value: 'elsewhere', type: cluster, vanishes: 'web.shop.svc.cluster.local' },
];

/** Spans are sent to the service `web`. */
const TRACING = 'enableTracing: true\ndefaultConfig: { tracing: { zipkin: { address: "web.shop:80" } } }';

/** A proxy of the namespace `shop`, of a server with that setting. */
async function proxyWith(t: Teardown, setting: Pick<Effect, 'setting' | 'value'> | undefined): Promise<ProxyClient> {
  const isFlag = setting?.setting.startsWith('--') === true;
  const server = await startServer(t, {
    files: MESH,
    flags: isFlag ? [setting.setting, setting.value] : [],
    variables: {
      NAV_MESH_CONFIG_DEFAULTS: TRACING,
      NAV_ENABLE_ANALYSIS: 'false',
      ...(setting && !isFlag && { [setting.setting]: setting.value }),
    },
  });
  return connectProxy(t, server, sidecar('10.0.0.7'));
}

function textOf(proxy: ProxyClient, { type, resource }: Effect): string {
  const names = resource === undefined ? proxy.namesOf(type) : [resource];
  return JSON.stringify([names, ...names.map((name) => proxy.resource(type, name))]);
}

const cleanup = createCleanup();
test.after.always(() => cleanup.run());
let plain: Promise<ProxyClient> | undefined;

for (const effect of EFFECTS) {
  const { setting, value, appears, vanishes } = effect;
  test.serial(`${setting}=${value} changes what proxies get`, async (t) => {
    plain ??= proxyWith(cleanup, undefined);
    const without = textOf(await plain, effect);
    const withSetting = textOf(await proxyWith(t, effect), effect);
    if (appears !== undefined) {
      t.true(withSetting.includes(appears), withSetting);
      t.false(without.includes(appears));
    }
    if (vanishes !== undefined) {
      t.true(without.includes(vanishes), without);
      t.false(withSetting.includes(vanishes));
    }
  });
}

test.serial('TERMINATION_DRAIN_DURATION_SECONDS is the default of the mesh config', async (t) => {
  const mesh = async (variables: Readonly<Record<string, string>>): Promise<string> => {
    const server = await startServer(t, { variables: { TERMINATION_DRAIN_DURATION_SECONDS: '9', ...variables } });
    return (await server.http.get('/debug/mesh')).body;
  };
  t.regex(await mesh({}), /"terminationDrainDurationMs": 9000/);
  const NAV_MESH_CONFIG_DEFAULTS = 'defaultConfig: { terminationDrainDuration: 3s }';
  t.regex(await mesh({ NAV_MESH_CONFIG_DEFAULTS }), /"terminationDrainDurationMs": 3000/);
});

for (const [value, expected] of [
  ['false', 'is served'],
  ['true', 'is refused'],
] as const) {
  test.serial(`XDS_AUTH=${value}: a proxy without credentials ${expected} on the secured listener`, async (t) => {
    const server = await startServer(t, { files: MESH, variables: { XDS_AUTH: value, ENABLE_CA_SERVER: 'true' } });
    const [ready] = server.logged('discovery server is ready');
    const port = Number(String(ready?.['secureGrpc']).split(':').at(-1));
    const anyServer = credentials.createSsl(null, null, null, { rejectUnauthorized: false });
    const client = new Client(`127.0.0.1:${port}`, anyServer);
    t.teardown(() => client.close());
    const same = (bytes: Buffer): Buffer => bytes;
    const method = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
    const call = client.makeBidiStreamRequest(method, same, same);
    const outcome = new Promise<string>((resolve) => {
      call.on('data', () => resolve('is served'));
      call.on('error', (error: ServiceError) =>
        resolve(error.code === status.UNAUTHENTICATED ? 'is refused' : error.message),
      );
    });
    call.write(discoveryRequest({ node: sidecar().id, typeUrl: TypeUrl.cluster }));
    t.is(await outcome, expected);
    call.cancel();
  });
}
