import { X509Certificate } from 'node:crypto';
import { credentials } from '@grpc/grpc-js';
import test from 'ava';
import { createCertificateClient } from '../ca/service/certificate-client.js';
import { createOpenSsl, makeRequest } from '../ca/support/openssl.js';
import type { ApiServer } from '../counterparts/kubernetes/api-server.js';
import { embeddedKubeconfig } from '../counterparts/kubernetes/cluster-secret.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { namespaceManifest } from '../sources/kubernetes/support/manifests.js';
import { eventually } from '../support/eventually.js';
import { startServer } from './support/running-server.js';
import { register, startTwoClusters, untilRead } from './support/two-clusters.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test.serial;

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

it('a workload of a remote cluster authenticates by a token that its own API server reviews', async (t) => {
  const clusters = await startTwoClusters(String(binary));
  t.teardown(clusters.close);
  const { local, remote } = clusters;
  await register(t, clusters, 'west', { west: embeddedKubeconfig(remote) });
  const server = await startServer(t, {
    orchConfig: local.kubeconfig,
    variables: { ENABLE_CA_SERVER: 'true', POD_NAME: 'meshd-0' },
  });
  await untilRead(server, 1);
  const roots = await eventually('roots', async () => (await rootsIn(local, 'shop')) || undefined);
  const address = String(server.logged('discovery server is ready')[0]?.['secureGrpc']);
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  const client = createCertificateClient(port, credentials.createSsl(Buffer.from(roots)), 'meshd.mesh-system.svc');
  t.teardown(() => client.close());
  const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');

  await remote.client.apply({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'books', namespace: 'shop' },
  });
  const { body } = await remote.client.send('POST', '/api/v1/namespaces/shop/serviceaccounts/books/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: ['mesh-ca'] },
  });
  const authorization = `Bearer ${(body as { status: { token: string } }).status.token}`;
  const { code, details, chain } = await client.create({ csr, metadata: { authorization, clusterid: 'west' } });
  t.is(code, 'OK', details);
  t.is(new X509Certificate(chain[0] ?? '').subjectAltName, 'URI:spiffe://cluster.local/ns/shop/sa/books');

  const elsewhere = await client.create({ csr, metadata: { authorization } });
  t.is(elsewhere.code, 'UNAUTHENTICATED', 'the own API server does not know the token');
});
