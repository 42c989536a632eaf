import test from 'ava';
import { startApiServer } from '../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { allCrds, namespaceManifest } from '../sources/kubernetes/support/manifests.js';
import { eventually } from '../support/eventually.js';
import { booksService, hasCondition, quotaBinding, quotaSpec } from './status/status-objects.js';
import { createHttpReader } from './support/http-reader.js';
import { ProxyClient } from './support/proxy-client.js';
import { startServerProcess } from './support/server-process.js';

const { available: binary } = requireKubernetes();
// Without an API server `npm test` says why it is skipped; with REQUIRE_COUNTERPARTS=1, as in .ci/run, that is an error.
const it = binary === undefined ? test.skip : test;
const NAMESPACE = 'shop';

it('the server beside a cluster serves its services to proxies, and writes the status of its objects', async (t) => {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  await api.client.applyAll(allCrds());
  await api.client.apply(namespaceManifest(NAMESPACE));
  await api.client.apply(namespaceManifest('mesh-system'));
  await api.client.applyAll(booksService(NAMESPACE));

  const flags = ['--meshConfig', 'samples/mesh-config.yaml', '--policyConfig', 'samples/policy.yaml'];
  const server = startServerProcess(t, ['--orchconfig', api.kubeconfig, ...flags], {
    NAV_ENABLE_STATUS: 'true',
    NAV_ENABLE_ANALYSIS: 'true',
    POD_NAME: 'meshd-0',
  });
  const { grpc, http } = await server.ports();
  const proxy = new ProxyClient(grpc, {
    id: 'sidecar~10.244.1.1~books-1.shop~shop.svc.cluster.local',
    cluster: 'books-1.shop',
    metadata: { NAMESPACE },
  });
  t.teardown(() => proxy.close());
  await proxy.settled();
  const clusters = (): readonly string[] => proxy.namesOf('type.googleapis.com/envoy.config.cluster.v3.Cluster');
  t.true(clusters().includes('outbound|80||books.shop.svc.cluster.local'), clusters().join());

  await api.client.applyAll([quotaSpec(NAMESPACE), quotaBinding(NAMESPACE)]);
  await hasCondition(api, quotaSpec(NAMESPACE), 'Accepted', 'True Valid: It is valid.');
  await hasCondition(api, quotaSpec(NAMESPACE), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  t.deepEqual(await createHttpReader(http).json('/debug/config_problems'), []);

  const [first] = booksService(NAMESPACE);
  if (first === undefined) throw new Error('there is no service');
  await api.client.delete(first);
  await eventually('the proxy has lost the service', () => !clusters().some((name) => name.includes('books')));

  server.process.child.kill('SIGTERM');
  t.deepEqual(await server.ended(), { code: 0, signal: null });
});
