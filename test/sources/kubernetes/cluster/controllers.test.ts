import test, { type ExecutionContext } from 'ava';
import { createDefaultMeshConfig } from '../../../../src/config/mesh/read-mesh-config.js';
import { createDefaultMeshNetworks } from '../../../../src/config/mesh/read-mesh-networks.js';
import { DEFAULT_MESH_DOMAIN } from '../../../../src/config/mesh-domain.js';
import type { Endpoint } from '../../../../src/model/endpoint.js';
import { createMeshStore, type MeshStore } from '../../../../src/model/store/mesh-store.js';
import { type ApiServer, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import { eventually } from '../../../support/eventually.js';
import { createClusterHarness } from '../support/cluster-harness.js';
import { namespaceManifest, podManifest, serviceManifest } from '../support/manifests.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary, controllers: true });
    // Slices are made of pods on nodes that exist.
    await api.client.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } });
  });
  test.after.always(() => api?.close());
}

/** A mesh that follows the cluster. */
async function followCluster(t: ExecutionContext, useEndpointSlice: boolean): Promise<MeshStore> {
  const store = createMeshStore(
    {
      domain: 'cluster.local',
      clusterId: 'real',
      meshDomain: DEFAULT_MESH_DOMAIN,
      revision: '',
      trustDomain: '',
      useEndpointSlice,
      servicesSelectWorkloadEntries: true,
      serviceEntriesSelectPods: true,
      edsForHeadlessServices: false,
    },
    { mesh: createDefaultMeshConfig(), networks: createDefaultMeshNetworks() },
  );
  const harness = createClusterHarness(t, api.kubeconfig, { useEndpointSlice });
  t.teardown(() => harness.source.stop());
  await harness.source.start((batch) => void store.apply(batch));
  return store;
}

const endpointsOf = (store: MeshStore, host: string): readonly Endpoint[] =>
  [...(store.state().endpoints.get(host)?.shards.values() ?? [])].flat();

const addresses = (store: MeshStore, host: string): string =>
  endpointsOf(store, host)
    .map(({ address, port, health }) => `${address}:${port} ${health}`)
    .sort()
    .join();

for (const [title, useEndpointSlice, ip] of [
  ['Endpoints', false, '10.244.1.5'],
  ['EndpointSlices', true, '10.244.1.6'],
] as const) {
  it(`what the cluster makes of a service and its pods is what the mesh serves, by ${title}`, async (t) => {
    const namespace = `controlled-${title.toLowerCase()}`;
    const host = `web.${namespace}.svc.cluster.local`;
    const store = await followCluster(t, useEndpointSlice);
    await api.client.apply(namespaceManifest(namespace));
    const service = serviceManifest('web', namespace, {
      selector: { app: 'web-1' },
      ports: [{ name: 'http', port: 80, targetPort: 8080 }],
    });
    await api.client.apply(service);
    await eventually('the service is there', () => store.state().servicesByHost.has(host));
    t.is(addresses(store, host), '');

    const pod = podManifest('web-1', namespace, ip);
    const { status, ...unready } = pod as typeof pod & { readonly status: { readonly conditions: readonly object[] } };
    await api.client.apply(unready);
    await api.client.patch(pod, { status }, 'status');
    await eventually('its pod is served', () => addresses(store, host) === `${ip}:8080 healthy`);
    const [endpoint] = endpointsOf(store, host);
    t.is(endpoint?.serviceAccount, `spiffe://cluster.local/ns/${namespace}/sa/default`);
    t.is(endpoint?.labels['app'], 'web-1');

    await api.client.patch(pod, { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, 'status');
    await eventually('it is not served while it is not ready', () => !addresses(store, host).includes(' healthy'));
    await api.client.patch(pod, { status }, 'status');
    await eventually('it is served again', () => addresses(store, host) === `${ip}:8080 healthy`);
    await api.client.delete(pod);
    await eventually('it is gone', () => addresses(store, host) === '');
    await api.client.delete(service);
    await eventually('the service is gone', () => !store.state().servicesByHost.has(host));
  });
}

it('headless services and external names are read as the cluster completes them', async (t) => {
  const store = await followCluster(t, true);
  const namespace = 'special';
  await api.client.apply(namespaceManifest(namespace));
  await api.client.apply(serviceManifest('headless', namespace, { clusterIP: 'None' }));
  await api.client.apply(serviceManifest('outside', namespace, { type: 'ExternalName', externalName: 'example.com' }));
  const find = (name: string) => store.state().servicesByHost.get(`${name}.${namespace}.svc.cluster.local`);
  await eventually('both are there', () => find('headless') !== undefined && find('outside') !== undefined);
  t.like(find('headless'), { headless: true, addresses: [], resolution: 'passthrough' });
  t.like(find('outside'), { externalName: 'example.com', resolution: 'dns', meshExternal: true });
  const own = store.state().servicesByHost.get('kubernetes.default.svc.cluster.local');
  t.deepEqual(own?.addresses, ['10.96.0.1']);
});
