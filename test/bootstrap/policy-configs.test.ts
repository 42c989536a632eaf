import test from 'ava';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { PUSH_ORDER } from '../../src/envoy/type-urls.js';
import { POLICY_TYPE_URLS } from '../../src/policy/wire/call-metadata.js';
import { createConfigDecoder } from '../../src/policy/wire/config-decoder.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import type { Teardown } from './support/cleanup.js';
import { ConfigSubscriber } from './support/config-subscriber.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, sidecar } from './support/manifests.js';
import { type RunningServer, startServer } from './support/running-server.js';

const decoder = createConfigDecoder(loadProtoRegistry());

const MESH = `
mixerCheckServer: embedded
mixerReportServer: embedded
disablePolicyChecks: false
disableMixerHttpReports: false
policyCheckFailOpen: false
`;
const WEB = 'web.shop.svc.cluster.local';
const CART = 'cart.shop.svc.cluster.local';
const POLICY_SERVER = {
  id: 'router~10.0.0.50~navigator-policy.mesh-system~mesh-system.svc.cluster.local',
  cluster: 'navigator-policy',
  metadata: {},
};

function policy(name: string, quota: string, host: string): string {
  const head = (kind: string) => ({
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind,
    metadata: { name, namespace: 'shop' },
  });
  return documents(
    JSON.stringify({ ...head('QuotaSpec'), spec: { rules: [{ quotas: [{ quota }] }] } }),
    JSON.stringify({ ...head('QuotaSpecBinding'), spec: { services: [{ service: host }], quotaSpecs: [{ name }] } }),
  );
}

/** Two services, each with a quota of its own. */
async function startMesh(t: Teardown, flags: readonly string[] = []): Promise<RunningServer> {
  const server = await startServer(t, {
    files: {
      'web.yaml': documents(service('web'), endpoints('web', '10.0.0.1')),
      'cart.yaml': documents(service('cart', { clusterIP: '10.96.0.2' }), endpoints('cart', '10.0.0.2')),
      'web-policy.yaml': policy('web', 'requests', WEB),
      'cart-policy.yaml': policy('cart', 'carts', CART),
    },
    flags,
  });
  await writeWhole(server.meshConfigFile, MESH);
  const read = (): Promise<{ policy: { mixerCheckServer: string } }> => server.http.json('/debug/mesh');
  await eventually('the mesh config is read', async () => (await read()).policy.mixerCheckServer === 'embedded');
  return server;
}

function quotasOf(bytes: Buffer | undefined): readonly string[] {
  if (bytes === undefined) return [];
  const { quotaSpec } = decoder.serviceConfig(bytes);
  return quotaSpec.flatMap(({ rules }) => rules.flatMap(({ quotas }) => quotas.map(({ quota = '' }) => quota)));
}

test('a policy server gets the policies of all services, and a changed QuotaSpec changes its services alone', async (t) => {
  const server = await startMesh(t);
  const subscriber = new ConfigSubscriber(t, server, POLICY_SERVER, POLICY_TYPE_URLS.serviceConfig);
  await subscriber.received(1);
  const before = subscriber.current;
  t.deepEqual([...before.keys()], [CART, WEB]);
  t.deepEqual(quotasOf(before.get(WEB)), ['requests']);
  t.deepEqual(quotasOf(before.get(CART)), ['carts']);

  await server.folder.write('web-policy.yaml', policy('web', 'changed', WEB));
  await subscriber.received(2);
  t.deepEqual(quotasOf(subscriber.current.get(WEB)), ['changed']);
  t.deepEqual(subscriber.current.get(CART), before.get(CART));
});

test('a changed QuotaSpec causes no response to proxies without a subscription to client configurations', async (t) => {
  const server = await startMesh(t);
  const proxy = await connectProxy(t, server, sidecar());
  const subscriber = new ConfigSubscriber(t, server, POLICY_SERVER, POLICY_TYPE_URLS.serviceConfig);
  await subscriber.received(1);
  const counts = (): readonly number[] => PUSH_ORDER.map((typeUrl) => proxy.responsesOf(typeUrl));
  const before = counts();

  await server.folder.write('web-policy.yaml', policy('web', 'changed', WEB));
  await subscriber.received(2);
  await server.folder.write('web-policy.yaml', policy('web', 'changed-again', WEB));
  await subscriber.received(3);
  t.deepEqual(counts(), before);

  // What reaches the proxy next comes after all that the QuotaSpecs have sent it.
  await server.folder.write('late.yaml', service('late', { port: 81, clusterIP: '10.96.0.3' }));
  await subscriber.received(4);
  await eventually('the new service arrives', () =>
    proxy.namesOf(PUSH_ORDER[0] ?? '').includes('outbound|81||late.shop.svc.cluster.local'),
  );
  t.is(proxy.responsesOf(PUSH_ORDER[0] ?? ''), (before[0] ?? 0) + 1);
});

test('a proxy that embeds the client gets its own configurations, and others when the mesh config changes', async (t) => {
  const server = await startMesh(t);
  const http = new ConfigSubscriber(t, server, sidecar(), POLICY_TYPE_URLS.httpClientConfig);
  const tcp = new ConfigSubscriber(t, server, sidecar(), POLICY_TYPE_URLS.tcpClientConfig);
  await http.received(1);
  await tcp.received(1);
  t.deepEqual([...http.current.keys()], ['inbound', 'outbound']);
  t.deepEqual([...tcp.current.keys()], []);
  const read = (): string | undefined => {
    const { transport } = decoder.httpClientConfig(http.current.get('inbound') ?? Buffer.alloc(0));
    return transport?.networkFailPolicy.policy;
  };
  t.is(read(), 'FAIL_CLOSE');

  await writeWhole(server.meshConfigFile, MESH.replace('policyCheckFailOpen: false', ''));
  await http.received(2);
  t.is(read(), 'FAIL_OPEN');
});

test('policyz shows a connected proxy its policies and client configurations', async (t) => {
  const server = await startMesh(t);
  await connectProxy(t, server, sidecar());
  const page = await server.http.json<Record<string, unknown>>('/debug/policyz?proxyID=pod.shop');
  t.like(page, {
    checks: { inbound: { on: true }, outbound: { on: false }, server: 'embedded', failPolicy: 'FAIL_CLOSE' },
    services: [{ service: WEB, checks: { on: true }, quotaSpecs: ['QuotaSpec/shop/web'] }],
  });
  const { inbound } = page['httpClientConfigs'] as Record<string, { serviceConfigs: object }>;
  t.deepEqual(Object.keys(inbound?.serviceConfigs ?? {}), ['default', WEB]);
});

test('without the plugin no proxy is served client configurations, and policyz says so', async (t) => {
  const server = await startMesh(t, ['--plugins', 'health']);
  await connectProxy(t, server, sidecar());
  const page = await server.http.json<Record<string, unknown>>('/debug/policyz?proxyID=pod.shop');
  t.like(page, { checks: { inbound: { on: false, why: '--plugins does not name policy' } }, httpClientConfigs: {} });
});
