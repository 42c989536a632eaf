import test from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import { allCrds, namespaceManifest } from '../../sources/kubernetes/support/manifests.js';
import { ProxyClient } from '../support/proxy-client.js';
import { startServerProcess } from '../support/server-process.js';
import { booksService, hasCondition, kubectl, serviceEntry } from './status-objects.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
const NAMESPACE = 'shop';

it('the text of a proxy that rejects an object is in the status of the object until it changes', async (t) => {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  await api.client.applyAll(allCrds());
  for (const name of [NAMESPACE, 'mesh-system']) await api.client.apply(namespaceManifest(name));
  await api.client.applyAll(booksService(NAMESPACE));
  const server = startServerProcess(t, ['--orchconfig', api.kubeconfig], {
    NAV_ENABLE_STATUS: 'true',
    POD_NAME: 'meshd-0',
  });
  const { grpc } = await server.ports();
  const proxies = ['books-1', 'books-2'].map((name, index) => {
    const proxy = new ProxyClient(grpc, {
      id: `sidecar~10.244.1.${index + 1}~${name}.shop~shop.svc.cluster.local`,
      cluster: `${name}.shop`,
      metadata: { NAMESPACE },
    });
    t.teardown(() => proxy.close());
    return proxy;
  });
  for (const proxy of proxies) await proxy.settled();
  const entry = serviceEntry(NAMESPACE, 'pay');
  await api.client.apply(entry);
  await hasCondition(api, entry, 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');

  proxies[0]?.refuseNext.add(TypeUrl.cluster);
  const bad = serviceEntry(NAMESPACE, 'ads');
  await api.client.apply(bad);
  await hasCondition(
    api,
    bad,
    'Reconciled',
    'False Rejected: 1/2 proxies up to date. books-1.shop rejected it (cds): refused by the test.',
  );
  await hasCondition(api, entry, 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');
  t.log(
    await kubectl(
      api,
      'get',
      'serviceentries',
      '-n',
      NAMESPACE,
      '-o',
      'jsonpath={range .items[*]}{.metadata.name}: {.status.conditions[2].message}{"\\n"}{end}',
    ),
  );

  await api.client.patch(bad, { spec: { hosts: ['www.example.com'] } });
  await hasCondition(api, bad, 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');
  t.pass();
});
