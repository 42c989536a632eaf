import test from 'ava';
import { type ApiServer, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { allCrds, namespaceManifest, withoutSchema } from '../../sources/kubernetes/support/manifests.js';
import { eventually } from '../../support/eventually.js';
import {
  booksService,
  hasCondition,
  kubectl,
  quotaBinding,
  quotaSpec,
  serviceEntry,
  stored,
  withoutStatus,
} from './status-objects.js';
import { startStatusInstance } from './status-rig.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;

let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    const isOld = ({ metadata }: KubernetesManifest) => metadata.name.startsWith('workloadentries.');
    await api.client.applyAll(allCrds().map((crd) => (isOld(crd) ? withoutStatus(crd) : withoutSchema(crd))));
  });
  test.after.always(() => api?.close());
}

async function prepare(namespace: string): Promise<void> {
  await api.client.apply(namespaceManifest(namespace));
  await api.client.applyAll(booksService(namespace));
}

const SPECS = [
  'NAME | ACCEPTED | REFS | IN-FORCE | PROXIES',
  'books | True | True | True | 2/2 up to date',
  'idle | True | True | False | 0/0 up to date',
  'typo | True | False | False | 2/2 up to date',
];
const LOST = /lost\s+True\s+False\s+False\s+2\/2 up to date .*QuotaSpec\/glance\/nowhere does not exist/;

it('kubectl shows whether a policy is in force, on how many proxies, and its problem', async (t) => {
  const namespace = 'glance';
  await prepare(namespace);
  const instance = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig: api.kubeconfig, namespace });
  instance.connect('books-1', '10.244.1.1');
  instance.connect('books-2', '10.244.1.2');
  instance.connect('users-1', '10.244.1.3');
  await api.client.applyAll([
    quotaSpec(namespace),
    quotaBinding(namespace),
    quotaSpec(namespace, 'idle'),
    quotaSpec(namespace, 'typo', 'reqeusts'),
    quotaBinding(namespace, 'typo'),
    quotaBinding(namespace, 'lost', 'nowhere'),
  ]);
  await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');
  await hasCondition(api, quotaBinding(namespace), 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');
  // A spec has a status before its binding is read, too: the last one is waited for.
  await eventually('kubectl shows each spec', async () => {
    const table = await kubectl(api, 'get', 'quotaspecs', '-n', namespace);
    const rows = table.trim().split('\n');
    const shown = rows.map((line) => line.replace(/\s+\S+$/, '').replace(/\s\s+/g, ' | '));
    if (shown.join('\n') !== SPECS.join('\n')) throw new Error(table);
    t.log(`\n${table}`);
    return true;
  });
  await eventually('kubectl shows the binding without a spec', async () => {
    const wide = await kubectl(api, 'get', 'qsb', '-n', namespace, '-o', 'wide');
    if (!LOST.test(wide)) throw new Error(wide);
    t.log(`\n${wide}`);
    return true;
  });
  const described = await kubectl(api, 'describe', 'quotaspec', 'typo', '-n', namespace);
  t.log(`\n${described}`);
  t.regex(described, /Reason:\s+QuotaNotLimited/);
  t.notRegex(described, /documentation_url/);
});

it('only changed statuses are written', async (t) => {
  const namespace = 'quiet';
  await prepare(namespace);
  const instance = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig: api.kubeconfig, namespace });
  instance.connect('books-1', '10.244.1.1');
  await api.client.applyAll([quotaSpec(namespace), quotaBinding(namespace), serviceEntry(namespace, 'pay')]);
  const settled = await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  // Every other change is seen through another object, so that time in which nothing may happen has passed for sure.
  for (const charge of [2, 3, 4]) {
    await api.client.apply(quotaSpec(namespace, 'other', 'requests', charge));
    await eventually('the other object is up to date', async () => {
      const { metadata, status } = await stored(api, quotaSpec(namespace, 'other'));
      return status?.conditions?.every(({ observedGeneration }) => observedGeneration === metadata.generation);
    });
  }
  const after = await stored(api, quotaSpec(namespace));
  t.is(after.metadata.resourceVersion, settled.metadata.resourceVersion);
  t.deepEqual(after.metadata.managedFields.map(({ manager, subresource }) => [manager, subresource]).sort(), [
    ['navigator-status', 'status'],
    ['test', undefined],
  ]);
});

it('an instance that comes after another finds the statuses in place, and writes none', async (t) => {
  const namespace = 'again';
  await prepare(namespace);
  const options = { kubeconfig: api.kubeconfig, namespace };
  const first = await startStatusInstance(t, { podName: 'meshd-0', ...options });
  first.connect('books-1', '10.244.1.1');
  await api.client.applyAll([quotaSpec(namespace), quotaBinding(namespace)]);
  const before = await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  await hasCondition(api, quotaBinding(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  await first.stop();
  const second = await startStatusInstance(t, { podName: 'meshd-1', ...options });
  second.connect('books-1', '10.244.1.1');
  await api.client.apply(quotaSpec(namespace, 'other'));
  await hasCondition(api, quotaSpec(namespace, 'other'), 'Accepted', 'True Valid: It is valid.');
  const after = await stored(api, quotaSpec(namespace));
  t.is(after.metadata.resourceVersion, before.metadata.resourceVersion);
});

it('a rejection is told on the object that caused it, and is gone when it is', async (t) => {
  const namespace = 'reject';
  await prepare(namespace);
  const instance = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig: api.kubeconfig, namespace });
  instance.connect('books-1', '10.244.1.1');
  await api.client.apply(serviceEntry(namespace, 'pay'));
  await hasCondition(api, serviceEntry(namespace, 'pay'), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  instance.freeze('books-1', 'cluster outbound|443||ads.example.com: bad DNS');
  await api.client.apply(serviceEntry(namespace, 'ads'));
  await hasCondition(
    api,
    serviceEntry(namespace, 'ads'),
    'Reconciled',
    'False Rejected: 0/1 proxies up to date. books-1.shop rejected it (cds): cluster outbound|443||ads.example.com: bad DNS.',
  );
  await hasCondition(api, serviceEntry(namespace, 'pay'), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  instance.release('books-1');
  await hasCondition(api, serviceEntry(namespace, 'ads'), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  t.pass();
});

it('an object that breaks a rule is not accepted, and its status names the version in force', async (t) => {
  const namespace = 'refuse';
  await prepare(namespace);
  const instance = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig: api.kubeconfig, namespace });
  instance.connect('books-1', '10.244.1.1');
  const good = serviceEntry(namespace, 'pay');
  await api.client.apply(good);
  await hasCondition(api, good, 'Accepted', 'True Valid: It is valid.');
  await api.client.apply({ ...good, spec: { hosts: ['pay.example.com'], ports: [{ number: 99_999, name: 'tls' }] } });
  const refused = await eventually('the object is refused', async () => {
    const object = await stored(api, good);
    return object.status?.conditions?.[0]?.status === 'False' && object;
  });
  const [accepted, refs, reconciled] = refused.status?.conditions ?? [];
  t.regex(accepted?.message ?? '', /99999.*Its last good state, generation 1, stays in force\.$/);
  t.is(accepted?.observedGeneration, 2);
  t.is(refs?.status, 'Unknown');
  t.regex(reconciled?.message ?? '', /^0\/1 proxies up to date\. Not accepted: /);
  await api.client.apply(good);
  await hasCondition(api, good, 'Accepted', 'True Valid: It is valid.');
});

it('a kind without the status subresource is reported once, with the remedy', async (t) => {
  const namespace = 'bare';
  await prepare(namespace);
  const instance = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig: api.kubeconfig, namespace });
  const workload = (name: string): KubernetesManifest => ({
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'WorkloadEntry',
    metadata: { name, namespace },
    spec: { address: '10.244.9.9' },
  });
  await api.client.applyAll([workload('a'), workload('b'), quotaSpec(namespace)]);
  await hasCondition(api, quotaSpec(namespace), 'Accepted', 'True Valid: It is valid.');
  const told = () => instance.log.filter(({ message }) => message === 'statuses of a kind cannot be written');
  await eventually('it is told', () => told().length > 0);
  t.deepEqual(
    told().map(({ fields }) => fields['remedy']),
    ['give the CRD workloadentries.networking.mesh.internal the subresource status'],
  );
});
