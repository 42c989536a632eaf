import test from 'ava';
import { systemClock } from '../../../../src/base/clock.js';
import { createKindRegistry } from '../../../../src/config/kinds.js';
import { createDefaultMeshConfig } from '../../../../src/config/mesh/read-mesh-config.js';
import { createDefaultMeshNetworks } from '../../../../src/config/mesh/read-mesh-networks.js';
import { DEFAULT_MESH_DOMAIN } from '../../../../src/config/mesh-domain.js';
import type { ChangeBatch } from '../../../../src/model/object-change.js';
import { createMeshStore, type MeshStore } from '../../../../src/model/store/mesh-store.js';
import { createFileSource } from '../../../../src/sources/file/file-source.js';
import { type ApiServer, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import { projectRoot } from '../../../counterparts/project-root.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createClusterHarness } from '../support/cluster-harness.js';
import { allCrds, readManifests } from '../support/manifests.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll(allCrds());
    await api.client.applyAll(readManifests('samples/mesh').filter(({ kind }) => kind === 'Namespace'));
    await api.client.applyAll(readManifests('samples/mesh'));
  });
  test.after.always(() => api?.close());
}

function createStore(): MeshStore {
  const settings = {
    domain: 'cluster.local',
    clusterId: 'real',
    meshDomain: DEFAULT_MESH_DOMAIN,
    revision: '',
    trustDomain: '',
    useEndpointSlice: true,
    servicesSelectWorkloadEntries: true,
    serviceEntriesSelectPods: true,
    edsForHeadlessServices: false,
  };
  return createMeshStore(settings, { mesh: createDefaultMeshConfig(), networks: createDefaultMeshNetworks() });
}

const CORE_KINDS = ['Service', 'Endpoints', 'EndpointSlice', 'Pod', 'Node', 'Namespace'];

/** A cluster copies its nodes' topology to the labels of pods, from Kubernetes 1.35 on. */
function withoutTopology<Endpoint extends { readonly labels: Readonly<Record<string, string>> }>(
  endpoint: Endpoint,
): Endpoint {
  const labels = Object.entries(endpoint.labels).filter(([key]) => !key.startsWith('topology.kubernetes.io/'));
  return { ...endpoint, labels: Object.fromEntries(labels) };
}

/** What proxies would be told: everything but when an object was made, which a folder does not know. */
function served(
  store: MeshStore,
): Readonly<Record<'services' | 'endpoints' | 'findings' | 'configs', readonly unknown[]>> {
  const { services, endpoints, findings, objects } = store.state();
  const known = services.filter(({ hostname }) => hostname !== 'kubernetes.default.svc.cluster.local');
  const configs = [...objects].flatMap(([kind, ofKind]) => (CORE_KINDS.includes(kind) ? [] : [...ofKind]));
  return {
    services: known.map(({ creationTimestamp: _, ...service }) => service),
    endpoints: known.map(({ hostname }) => [
      hostname,
      [...(endpoints.get(hostname)?.shards ?? [])].map(([shard, each]) => [shard, each.map(withoutTopology)]),
    ]),
    findings,
    configs: configs.map(([key, { body }]) => ({ key, body })).sort((one, other) => (one.key < other.key ? -1 : 1)),
  };
}

it('a cluster with the sample mesh in it makes the same services and endpoints as its folder', async (t) => {
  const fromFolder = createStore();
  const folder = createFileSource({
    directory: `${projectRoot()}/samples/mesh`,
    cluster: 'real',
    kinds: createKindRegistry(DEFAULT_MESH_DOMAIN),
    defaultNamespace: 'default',
    logger: createRecordingLogger(),
    clock: systemClock,
  });
  t.teardown(() => folder.stop());
  await folder.start((batch) => void fromFolder.apply(batch));
  t.deepEqual(folder.reports(), []);

  const fromCluster = createStore();
  const harness = createClusterHarness(t, api.kubeconfig, { useEndpointSlice: true });
  await harness.start();
  for (const batch of harness.batches) fromCluster.apply(batch);
  t.deepEqual(harness.source.reports(), []);
  t.is(harness.batches.length, 1);

  const expected = served(fromFolder);
  t.true(expected.services.length >= 6);
  t.true(expected.configs.length >= 3);
  t.deepEqual(served(fromCluster), expected);
});

it('events that come one by one end in the same state as a list of everything', async (t) => {
  const gradually = createStore();
  const harness = createClusterHarness(t, api.kubeconfig, { useEndpointSlice: true });
  await harness.start();
  const kept: ChangeBatch[] = [];
  for (const batch of harness.batches) {
    for (const change of batch.changes) kept.push({ cluster: batch.cluster, changes: [change] });
  }
  for (const batch of kept.toReversed()) gradually.apply(batch);
  const atOnce = createStore();
  for (const batch of harness.batches) atOnce.apply(batch);
  t.deepEqual(served(gradually), served(atOnce));
});
