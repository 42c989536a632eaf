import test, { type ExecutionContext } from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { eventually } from '../counterparts/eventually.js';
import { type ApiServer, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { clusterSecret, embeddedKubeconfig } from '../counterparts/kubernetes/cluster-secret.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { namespaceManifest } from '../sources/kubernetes/support/manifests.js';
import { startCuttableConnection } from './status/cuttable-connection.js';
import { ProxyClient } from './support/proxy-client.js';
import { startServer } from './support/running-server.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test.serial;
const BOOKS = 'outbound|80||books.shop.svc.cluster.local';

let local: ApiServer;
let remote: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    [local, remote] = await Promise.all([startApiServer({ binary }), startApiServer({ binary })]);
    for (const api of [local, remote]) await api.client.apply(namespaceManifest('shop'));
    await local.client.apply(namespaceManifest('mesh-system'));
    await books(local, ['10.0.0.1', '10.0.0.2']);
    await books(remote, ['10.1.0.1']);
  });
  test.after.always(() => Promise.all([local?.close(), remote?.close()]));
}

async function books(api: ApiServer, ips: readonly string[], name = 'books'): Promise<void> {
  const metadata = { name, namespace: 'shop' };
  await api.client.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { ports: [{ name: 'http', port: 80 }] },
  });
  const subsets = [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'http', port: 8080 }] }];
  await api.client.apply({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets });
}

async function register(t: ExecutionContext, name: string, kubeconfigs: Readonly<Record<string, string>>) {
  const secret = clusterSecret(name, kubeconfigs);
  await local.client.apply(secret);
  let isThere = true;
  const remove = async (): Promise<void> => {
    if (isThere) await local.client.delete(secret);
    isThere = false;
  };
  t.teardown(remove);
  return remove;
}

/** A proxy of the own cluster, and the addresses that it has for a service. */
async function connect(t: ExecutionContext, port: number) {
  const proxy = new ProxyClient(port, {
    id: 'sidecar~10.0.0.9~client-1.shop~shop.svc.cluster.local',
    cluster: 'client-1.shop',
    metadata: { NAMESPACE: 'shop', CLUSTER_ID: 'Orchestrator' },
  });
  t.teardown(() => proxy.close());
  await proxy.settled();
  const addresses = (name = BOOKS): readonly string[] =>
    [...(JSON.stringify(proxy.resource(TypeUrl.endpoint, name)) ?? '').matchAll(/"address":"([0-9.]+)"/g)].map(
      ([, address = '']) => address,
    );
  const has = (...expected: readonly string[]): Promise<unknown> =>
    eventually(
      `the proxy has ${expected}`,
      () => {
        if (addresses().join() !== expected.join()) throw new Error(`it has ${addresses()}`);
        return true;
      },
      { timeoutMs: 30_000 },
    );
  return { proxy, addresses, has };
}

it('a cluster that a secret registers gives and takes endpoints while the server runs', async (t) => {
  const server = await startServer(t, { orchConfig: local.kubeconfig });
  const { has } = await connect(t, server.grpcPort);
  await has('10.0.0.1', '10.0.0.2');

  const remove = await register(t, 'west', { west: embeddedKubeconfig(remote) });
  await has('10.0.0.1', '10.0.0.2', '10.1.0.1');
  await books(remote, ['10.1.0.1', '10.1.0.2']);
  await has('10.0.0.1', '10.0.0.2', '10.1.0.1', '10.1.0.2');

  type Shards = Record<string, Record<string, { Shards: Record<string, readonly unknown[]> }>>;
  const shardz = await server.http.json<Shards>('/debug/endpointShardz');
  const shards = shardz['books.shop.svc.cluster.local']?.['shop']?.Shards ?? {};
  t.deepEqual(Object.keys(shards), ['Orchestrator/Orchestrator', 'Orchestrator/west']);
  t.deepEqual(await server.http.json('/debug/config_problems'), []);

  await remove();
  await has('10.0.0.1', '10.0.0.2');
  await books(remote, ['10.1.0.1']);
  t.is(server.logged('a remote cluster is read').length, 1);
  t.is(server.logged('a remote cluster is removed').length, 1);
  const text = JSON.stringify(server.log);
  t.false(text.includes('admin-token') || text.includes(Buffer.from('admin-token').toString('base64')));
});

it('a remote cluster keeps what it had while it is down, and is read on when it is back', async (t) => {
  const way = await startCuttableConnection(remote.url);
  t.teardown(() => way.close());
  await register(t, 'west', { west: embeddedKubeconfig(remote, { server: way.url }) });
  const server = await startServer(t, { orchConfig: local.kubeconfig });
  const { has, addresses } = await connect(t, server.grpcPort);
  t.deepEqual(addresses(), ['10.0.0.1', '10.0.0.2', '10.1.0.1']);
  way.cut();
  const problems = (): Promise<readonly { readonly object: string; readonly reason: string }[]> =>
    server.http.json('/debug/config_problems');
  await eventually('the outage is told', async () => (await problems()).length > 0);
  t.like((await problems())[0], { object: 'Secret/mesh-system/west', field: 'data.west' });
  await books(local, ['10.0.0.1']);
  await has('10.0.0.1', '10.1.0.1');
  await books(remote, ['10.1.0.7']);
  way.join();
  await has('10.0.0.1', '10.1.0.7');
  await eventually('the outage is over', async () => (await problems()).length === 0);
  await books(local, ['10.0.0.1', '10.0.0.2']);
  await books(remote, ['10.1.0.1']);
});
