import test from 'ava';
import { eventually } from '../counterparts/eventually.js';
import type { ApiServer } from '../counterparts/kubernetes/api-server.js';
import { embeddedKubeconfig } from '../counterparts/kubernetes/cluster-secret.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { namespaceManifest } from '../sources/kubernetes/support/manifests.js';
import { startServer } from './support/running-server.js';
import { register, startTwoClusters } from './support/two-clusters.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;

async function rootsIn({ client }: ApiServer, namespace: string): Promise<string> {
  const { body } = await client.send('GET', `/api/v1/namespaces/${namespace}/configmaps/mesh-ca-root-cert`);
  return (body as { readonly data?: Readonly<Record<string, string>> }).data?.['root-cert.pem'] ?? '';
}

it('with CENTRAL_MESHD the workloads of remote clusters get the roots too, while their cluster is registered', async (t) => {
  const clusters = await startTwoClusters(String(binary));
  t.teardown(clusters.close);
  const { local, remote } = clusters;
  await remote.client.apply(namespaceManifest('mesh-system'));
  const server = await startServer(t, {
    orchConfig: local.kubeconfig,
    variables: { CENTRAL_MESHD: 'true', ENABLE_CA_SERVER: 'true', POD_NAME: 'meshd-0' },
  });
  await eventually('roots in the own cluster', async () => (await rootsIn(local, 'shop')) !== '');
  t.is(await rootsIn(remote, 'shop'), '');

  const remove = await register(t, clusters, 'west', { west: embeddedKubeconfig(remote) });
  await eventually('roots in the remote cluster', async () => (await rootsIn(remote, 'shop')) !== '');
  t.is(await rootsIn(remote, 'shop'), await rootsIn(local, 'shop'));

  await remove();
  const lease = '/apis/coordination.k8s.io/v1/namespaces/mesh-system/leases/mesh-namespace-controller-election';
  await eventually('the lead in the remote cluster is given back', async () => {
    const { body } = await remote.client.send('GET', lease);
    return ((body as { spec: { holderIdentity?: string } }).spec.holderIdentity ?? '') === '';
  });
  await remote.client.apply(namespaceManifest('late'));
  await local.client.apply(namespaceManifest('late'));
  await eventually('roots of the own cluster go on', async () => (await rootsIn(local, 'late')) !== '');
  t.is(await rootsIn(remote, 'late'), '');
  await server.stop();
});
