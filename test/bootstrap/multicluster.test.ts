import test from 'ava';
import { READERS } from '../counterparts/kubernetes/api-server.js';
import { embeddedKubeconfig } from '../counterparts/kubernetes/cluster-secret.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { eventually } from '../support/eventually.js';
import { startCuttableConnection } from './status/cuttable-connection.js';
import { type RunningServer, startServer } from './support/running-server.js';
import {
  register,
  serve,
  startTwoClusters,
  type TwoClusters,
  untilRead,
  watchEndpoints,
} from './support/two-clusters.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test.serial;

let clusters: TwoClusters;

if (binary !== undefined) {
  test.before(async () => {
    clusters = await startTwoClusters(binary);
    await serve(clusters.local, 'books', ['10.0.0.1', '10.0.0.2']);
  });
  test.beforeEach(() => serve(clusters.remote, 'books', ['10.1.0.1']));
  test.after.always(() => clusters?.close());
}

const startBeside = (t: Parameters<typeof startServer>[0], options: Parameters<typeof startServer>[1] = {}) =>
  startServer(t, { orchConfig: clusters.local.kubeconfig, ...options });

interface Problem {
  readonly object: string;
  readonly field: string;
  readonly reason: string;
}

const problemsOf = (server: RunningServer): Promise<readonly Problem[]> =>
  server.http.json<readonly Problem[]>('/debug/config_problems');

it('a cluster that a secret registers gives and takes endpoints while the server runs', async (t) => {
  const server = await startBeside(t);
  const { has } = await watchEndpoints(t, server.grpcPort, { CLUSTER_ID: 'Orchestrator' });
  await has('10.0.0.1', '10.0.0.2');
  const events = await server.http.metric('nav_k8s_reg_events{type="Endpoints",event="add"}');

  const remove = await register(t, clusters, 'west', { west: embeddedKubeconfig(clusters.remote) });
  await has('10.0.0.1', '10.0.0.2', '10.1.0.1');
  await serve(clusters.remote, 'books', ['10.1.0.1', '10.1.0.2']);
  await has('10.0.0.1', '10.0.0.2', '10.1.0.1', '10.1.0.2');

  type Shards = Record<string, Record<string, { Shards: Record<string, readonly unknown[]> }>>;
  const shardz = await server.http.json<Shards>('/debug/endpointShardz');
  const shards = shardz['books.shop.svc.cluster.local']?.['shop']?.Shards ?? {};
  t.deepEqual(Object.keys(shards), ['Orchestrator/Orchestrator', 'Orchestrator/west']);
  t.deepEqual(await problemsOf(server), []);
  // The remote cluster's own service `kubernetes` has endpoints too.
  t.is(await server.http.metric('nav_k8s_reg_events{type="Endpoints",event="add"}'), (events ?? 0) + 2);

  await remove();
  await has('10.0.0.1', '10.0.0.2');
  t.is(server.logged('a remote cluster is read').length, 1);
  t.is(server.logged('a remote cluster is removed').length, 1);
  const text = JSON.stringify(server.log);
  t.false(text.includes('admin-token') || text.includes(Buffer.from('admin-token').toString('base64')));
});

it('objects of a remote cluster stay while it is down, and follow its changes when it is back', async (t) => {
  const way = await startCuttableConnection(clusters.remote.url);
  t.teardown(() => way.close());
  await register(t, clusters, 'west', { west: embeddedKubeconfig(clusters.remote, { server: way.url }) });
  const server = await startBeside(t);
  const { has } = await watchEndpoints(t, server.grpcPort);
  await has('10.0.0.1', '10.0.0.2', '10.1.0.1');
  way.cut();
  await eventually('the outage is told', async () => (await problemsOf(server)).length > 0);
  t.like((await problemsOf(server))[0], { object: 'Secret/mesh-system/west', field: 'data.west' });
  await serve(clusters.local, 'books', ['10.0.0.1']);
  await has('10.0.0.1', '10.1.0.1');
  await serve(clusters.remote, 'books', ['10.1.0.7']);
  way.join();
  await has('10.0.0.1', '10.1.0.7');
  await eventually('the outage is over', async () => (await problemsOf(server)).length === 0);
  await serve(clusters.local, 'books', ['10.0.0.1', '10.0.0.2']);
});

it('a cluster that does not answer does not keep the server from starting, and is served when it comes', async (t) => {
  const way = await startCuttableConnection(clusters.remote.url);
  t.teardown(() => way.close());
  way.cut();
  const kubeconfigs = {
    west: embeddedKubeconfig(clusters.remote, { server: way.url }),
    north: embeddedKubeconfig(clusters.remote),
  };
  await register(t, clusters, 'remotes', kubeconfigs);
  const server = await startBeside(t);
  const { has } = await watchEndpoints(t, server.grpcPort);
  await has('10.0.0.1', '10.0.0.2', '10.1.0.1');
  await eventually('the missing cluster is told', async () =>
    (await problemsOf(server))[0]?.reason.startsWith(`the API server ${way.url} of cluster west cannot`),
  );
  way.join();
  await untilRead(server, 2);
  t.deepEqual(await problemsOf(server), []);
});

it('a control plane that may not read secrets reports it and serves all the same', async (t) => {
  const { client, kubeconfigOf } = clusters.local;
  const [user = ''] = READERS;
  const rules = [{ apiGroups: [''], resources: ['services', 'endpoints', 'configmaps'], verbs: ['list', 'watch'] }];
  const subjects = [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await client.apply({ apiVersion, kind: 'ClusterRole', metadata: { name: user }, rules });
  await client.apply({ apiVersion, kind: 'ClusterRoleBinding', metadata: { name: user }, roleRef, subjects });
  const server = await startServer(t, { orchConfig: await kubeconfigOf(user) });
  const { has } = await watchEndpoints(t, server.grpcPort);
  await has('10.0.0.1', '10.0.0.2');
  const told = await eventually('the refusal is told', async () =>
    (await problemsOf(server)).find(({ reason }) => reason.startsWith('no remote cluster is read')),
  );
  t.regex(told.reason, /secrets is forbidden: User "reader-0" cannot list resource "secrets"/);
});

it('a kubeconfig that changes is taken over without a moment without endpoints; a hostile one is refused', async (t) => {
  await register(t, clusters, 'west', { west: embeddedKubeconfig(clusters.remote) });
  const server = await startBeside(t);
  const { has, addresses } = await watchEndpoints(t, server.grpcPort);
  await has('10.0.0.1', '10.0.0.2', '10.1.0.1');
  const seen = new Set<string>();
  const looking = setInterval(() => seen.add(addresses('books').join()), 1);
  t.teardown(() => clearInterval(looking));

  const way = await startCuttableConnection(clusters.remote.url);
  t.teardown(() => way.close());
  await register(t, clusters, 'west', { west: embeddedKubeconfig(clusters.remote, { server: way.url }) });
  await untilRead(server, 2);
  t.like(server.logged('a remote cluster is read').at(-1), { cluster: 'west', server: way.url });

  const marker = 'ran-by-a-kubeconfig';
  const hostile = JSON.parse(embeddedKubeconfig(clusters.remote)) as { users: { name: string; user: object }[] };
  hostile.users = [
    { name: 'meshd', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: marker } } },
  ];
  await register(t, clusters, 'west', { west: JSON.stringify(hostile) });
  await eventually('it is refused', async () => (await problemsOf(server)).length === 1);
  t.regex((await problemsOf(server))[0]?.reason ?? '', /^user\.exec: it runs a program/);
  t.false(JSON.stringify(server.log).includes(marker));
  t.deepEqual([...seen], ['10.0.0.1,10.0.0.2,10.1.0.1']);
  clearInterval(looking);

  // Cut, the good one that is still served would not bring this.
  await serve(clusters.remote, 'books', ['10.1.0.8']);
  await has('10.0.0.1', '10.0.0.2', '10.1.0.8');
});
