import test from 'ava';
import { startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import { allCrds, namespaceManifest } from '../../sources/kubernetes/support/manifests.js';
import { eventually } from '../../support/eventually.js';
import { startStopwatch } from '../../support/stopwatch.js';
import { startCuttableConnection } from './cuttable-connection.js';
import { booksService, hasCondition, quotaBinding, quotaSpec, stored } from './status-objects.js';
import { startStatusInstance } from './status-rig.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;

it('after an outage of the API server the leader stays the same and writes the missed statuses', async (t) => {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  await api.client.applyAll(allCrds());
  const namespace = 'shop';
  await api.client.apply(namespaceManifest(namespace));
  await api.client.applyAll([...booksService(namespace), quotaSpec(namespace), quotaBinding(namespace)]);
  // The lease outlasts the start of the API server, also when it gets little processor time.
  const settings = { election: { leaseMs: 600_000, renewMs: 300_000, retryMs: 1_000, lookMs: 1_000 } };
  const instance = await startStatusInstance(t, {
    podName: 'meshd-0',
    kubeconfig: api.kubeconfig,
    namespace,
    settings,
  });
  instance.connect('books-1', '10.244.1.1');
  const before = await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');

  await api.stopApi();
  instance.connect('books-2', '10.244.1.2');
  await eventually('the outage is noticed', () => instance.log.some(({ level }) => level === 'warn'));
  await api.startApi();
  const after = await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');
  t.is(instance.log.filter(({ message }) => message === 'this instance leads').length, 1);
  const transitions = [before, after].map(({ status }) => status?.conditions?.map((each) => each.lastTransitionTime));
  t.deepEqual(transitions[0], transitions[1]);
});

it('an object that is deleted and made anew while it is written gets the status of the new one', async (t) => {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  await api.client.applyAll(allCrds());
  const namespace = 'shop';
  await api.client.apply(namespaceManifest(namespace));
  const instance = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig: api.kubeconfig, namespace });
  for (let round = 0; round < 10; round++) {
    await api.client.apply(quotaSpec(namespace));
    await api.client.delete(quotaSpec(namespace));
  }
  await api.client.apply(quotaSpec(namespace));
  await hasCondition(api, quotaSpec(namespace), 'Accepted', 'True Valid: It is valid.');
  const { status } = await stored(api, quotaSpec(namespace));
  t.is(status?.conditions?.length, 3);
  t.deepEqual(
    instance.log.filter(({ level }) => level === 'warn' || level === 'error'),
    [],
  );
});

it('an unresponsive API server does not delay a stop', async (t) => {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  await api.client.applyAll(allCrds());
  const namespace = 'shop';
  await api.client.apply(namespaceManifest(namespace));
  const connection = await startCuttableConnection(api.url);
  t.teardown(() => connection.close());
  const kubeconfig = await api.kubeconfigOf('admin', connection.url);
  const instance = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig, namespace });
  await eventually('it leads', () => instance.log.some(({ message }) => message === 'this instance leads'));
  connection.mute();
  const stopwatch = startStopwatch();
  await instance.stop();
  t.true(stopwatch.stop() < 6_000);
});
