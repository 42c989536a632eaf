import test from 'ava';
import { encodeNode } from '../../bench/wire/node-message.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { encodeDiscoveryRequest } from '../../src/xds-client/discovery-messages.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import { connectClient } from '../xds/grpc-client.js';
import { ADS } from '../xds/rig-server.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from './support/manifests.js';
import { type RunningServer, startServer } from './support/running-server.js';

const WEB = 'outbound|80||web.shop.svc.cluster.local';
const MESH = { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')) };

/** Versions of one object that the only proxy has acknowledged, by type. */
async function distribution(server: RunningServer, key: string): Promise<Record<string, string>> {
  const [row] = await server.http.json<Record<string, string>[]>(`/debug/config_distribution?resource=${key}`);
  const { proxy: _, ...versions } = row ?? {};
  return versions;
}

/** The version that the server knows an object by. */
async function currentVersion(server: RunningServer, name: string): Promise<string | undefined> {
  const objects =
    await server.http.json<{ kind: string; metadata: { name: string; resourceVersion: string } }[]>('/debug/configz');
  return objects.find(({ metadata }) => metadata.name === name)?.metadata.resourceVersion;
}

test('a change in a file is followed from the file to the acknowledgement', async (t) => {
  const server = await startServer(t, { files: MESH });
  const proxy = await connectProxy(t, server, sidecar());
  const key = 'ServiceEntry/shop/pay';
  t.deepEqual(await distribution(server, key), {});
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  await eventually('the proxy has the cluster', () =>
    proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com'),
  );
  const version = (await currentVersion(server, 'pay')) as string;
  const wanted = { cluster_acked: version, listener_acked: version, route_acked: version };
  await eventually('all types are acknowledged', async () => same(await distribution(server, key), wanted));
  await server.folder.remove('pay.yaml');
  await eventually('its end is acknowledged', async () => same(await distribution(server, key), {}));
  t.false(proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com'));
});

test('a client on this machine gets the objects of a kind and their changes, and the state of the connected proxies', async (t) => {
  const server = await startServer(t, { files: { ...MESH, 'pay.yaml': serviceEntry('pay') } });
  await connectProxy(t, server, sidecar());
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(client.close);
  const node = encodeNode(sidecar('10.0.0.2', { GENERATOR: 'api' }));
  const typeUrl = 'networking.mesh.internal/v1beta1/ServiceEntry';
  client.sendBytes(encodeDiscoveryRequest({ typeUrl, version: '', nonce: '', node }));
  const { version, nonce } = await client.response(0);
  t.true(client.messages[0]?.includes('pay.example.com'));
  client.sendBytes(encodeDiscoveryRequest({ typeUrl, version, nonce }));
  await server.folder.write('mail.yaml', serviceEntry('mail'));
  await client.response(1);
  t.true(client.messages[1]?.includes('mail.example.com'));
  client.sendBytes(encodeDiscoveryRequest({ typeUrl: 'mesh.internal/debug/syncz', version: '', nonce: '' }));
  const states = await client.response(2);
  t.is(states.typeUrl, 'mesh.internal/debug/syncz');
  t.true(client.messages[2]?.includes(WEB));
});

test('clusters without endpoints cause no endpoint response', async (t) => {
  const server = await startServer(t, { files: MESH });
  const proxy = await connectProxy(t, server, sidecar());
  const before = proxy.responsesOf(TypeUrl.endpoint);
  for (const name of ['pay', 'mail', 'bank']) {
    await server.folder.write(`${name}.yaml`, serviceEntry(name));
    await eventually('the proxy has the cluster', () =>
      proxy.namesOf(TypeUrl.cluster).includes(`outbound|80||${name}.example.com`),
    );
    await eventually('and its route, which is pushed after endpoints', () =>
      JSON.stringify(proxy.resource(TypeUrl.route, '80')).includes(`${name}.example.com`),
    );
  }
  t.is(proxy.responsesOf(TypeUrl.endpoint), before);
});

test('a change that no proxy needs to be sent counts as distributed all the same', async (t) => {
  const server = await startServer(t, { files: { ...MESH, 'pay.yaml': serviceEntry('pay') } });
  const proxy = await connectProxy(t, server, sidecar());
  const before = await currentVersion(server, 'pay');
  const responses = [TypeUrl.cluster, TypeUrl.listener, TypeUrl.route].map((type) => proxy.responsesOf(type));
  await server.folder.write('pay.yaml', serviceEntry('pay', { labels: { team: 'money' } }));
  await eventually('the new version is read', async () => (await currentVersion(server, 'pay')) !== before);
  const version = (await currentVersion(server, 'pay')) as string;
  const wanted = { cluster_acked: version, listener_acked: version, route_acked: version };
  await eventually('all types count as acknowledged', async () =>
    same(await distribution(server, 'ServiceEntry/shop/pay'), wanted),
  );
  t.deepEqual(
    [TypeUrl.cluster, TypeUrl.listener, TypeUrl.route].map((type) => proxy.responsesOf(type)),
    responses,
  );
});

test('a proxy that refuses a change is shown with the version that it still has, until it takes the next one', async (t) => {
  const server = await startServer(t, { files: { ...MESH, 'pay.yaml': serviceEntry('pay') } });
  const proxy = await connectProxy(t, server, sidecar());
  const key = 'ServiceEntry/shop/pay';
  const first = (await currentVersion(server, 'pay')) as string;
  await eventually(
    'the first is acknowledged',
    async () => (await distribution(server, key))['cluster_acked'] === first,
  );
  proxy.refuseNext.add(TypeUrl.cluster);
  await server.folder.write('pay.yaml', serviceEntry('pay', { host: 'other.example.com' }));
  const syncRow = async () => (await server.http.json<Record<string, string>[]>('/debug/syncz'))[0] ?? {};
  await eventually('the refusal is shown', async () => 'cluster_rejection' in (await syncRow()));
  t.is((await syncRow())['cluster_rejection'], 'INTERNAL: refused by the test');
  t.is((await distribution(server, key))['cluster_acked'], first);
  await server.folder.write('pay.yaml', serviceEntry('pay', { host: 'third.example.com' }));
  await eventually('the third is acknowledged', async () => {
    const version = await currentVersion(server, 'pay');
    return version !== undefined && (await distribution(server, key))['cluster_acked'] === version;
  });
  t.false('cluster_rejection' in (await syncRow()));
  t.true(proxy.namesOf(TypeUrl.cluster).includes('outbound|80||third.example.com'));
});

test('a changed endpoint reaches the proxy as one assignment and nothing else', async (t) => {
  const server = await startServer(t, {
    files: { ...MESH, 'db.yaml': documents(service('db', { clusterIP: '10.96.0.2' }), endpoints('db', '10.0.0.8')) },
  });
  const proxy = await connectProxy(t, server, sidecar());
  const before = [TypeUrl.cluster, TypeUrl.endpoint, TypeUrl.listener, TypeUrl.route].map((type) =>
    proxy.responsesOf(type),
  );
  await server.folder.write('web.yaml', documents(service('web'), endpoints('web', '10.0.0.7', '10.0.0.9')));
  await eventually('the endpoint is there', () =>
    JSON.stringify(proxy.resource(TypeUrl.endpoint, WEB)).includes('10.0.0.9'),
  );
  t.deepEqual(
    [TypeUrl.cluster, TypeUrl.endpoint, TypeUrl.listener, TypeUrl.route].map((type) => proxy.responsesOf(type)),
    before.map((count, index) => (index === 1 ? count + 1 : count)),
  );
  t.deepEqual(proxy.lastNames(TypeUrl.endpoint), [WEB]);
});

test('mesh config is reloaded, and a bad one is reported and ignored', async (t) => {
  const server = await startServer(t, { files: MESH });
  const proxy = await connectProxy(t, server, sidecar());
  const lastHost = (): string => JSON.stringify(proxy.resource(TypeUrl.route, '80'));
  t.true(lastHost().includes('allow_any'));
  await writeWhole(server.meshConfigFile, 'outboundTrafficPolicy: { mode: REGISTRY_ONLY }\n');
  await eventually('traffic is blocked', () => lastHost().includes('block_all'));
  t.like(await server.http.json('/debug/mesh'), { outboundTrafficPolicy: 'REGISTRY_ONLY' });
  await writeWhole(server.meshConfigFile, 'outboundTrafficPolicy: { mode: SOMETIMES }\n');
  await eventually('the problem is shown', async () => {
    const { body } = await server.http.get('/debug/config_problems');
    return body.includes('outboundTrafficPolicy.mode') && body.includes('SOMETIMES');
  });
  t.like(await server.http.json('/debug/mesh'), { outboundTrafficPolicy: 'REGISTRY_ONLY' });
  await writeWhole(server.meshConfigFile, 'outboundTrafficPolicy: { mode: ALLOW_ANY }\n');
  await eventually('traffic passes', () => lastHost().includes('allow_any'));
  t.deepEqual(await server.http.json('/debug/config_problems'), []);
  t.is(await server.http.metric('nav_push_triggers{type="global"}'), 2);
});

test('mesh networks are reloaded: endpoints of another network become its gateway', async (t) => {
  const server = await startServer(t, { files: MESH });
  const proxy = await connectProxy(t, server, sidecar('10.0.0.1', { NETWORK: 'near' }));
  const assignment = (): string => JSON.stringify(proxy.resource(TypeUrl.endpoint, WEB));
  t.true(assignment().includes('10.0.0.7'));
  const gateways = [{ address: '192.0.2.1', port: 15443 }];
  await writeWhole(
    server.networksFile,
    JSON.stringify({ networks: { far: { endpoints: [{ fromCidr: '10.0.0.7/32' }], gateways } } }),
  );
  await eventually(
    'the gateway is there',
    () => assignment().includes('192.0.2.1') && !assignment().includes('10.0.0.7'),
  );
  await writeWhole(server.networksFile, '{}');
  await eventually('the endpoint is back', () => assignment().includes('10.0.0.7'));
});

function same(found: unknown, wanted: unknown): boolean {
  return JSON.stringify(found) === JSON.stringify(wanted);
}
