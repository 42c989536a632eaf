import test from 'ava';
import { type ApiServer, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../../../counterparts/kubernetes/kubernetes-client.js';
import { eventually } from '../../../support/eventually.js';
import { createClusterHarness } from '../support/cluster-harness.js';
import { allCrds, quotaSpecManifest, serviceManifest, withVersions } from '../support/manifests.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
  });
  test.after.always(() => api?.close());
}

it('CRDs that come after the start are read as soon as they are there, in the version that they have', async (t) => {
  const harness = createClusterHarness(t, api.kubeconfig);
  await harness.start();
  const missing = 'a kind of object is not installed, it is read as soon as its CRD is there';
  t.deepEqual(
    harness.log
      .filter(({ message }) => message === missing)
      .map(({ fields }) => String(fields['resource']))
      .sort(),
    allCrds()
      .map(({ metadata }) => metadata.name)
      .sort(),
  );
  const older = (crd: KubernetesManifest) =>
    withVersions(crd, (all) =>
      all.filter(({ name }) => name === 'v1alpha3').map((each) => ({ ...each, storage: true })),
    );
  const isOlder = ({ metadata }: KubernetesManifest) => metadata.name.startsWith('workloadentries.');
  await api.client.applyAll(allCrds().map((crd) => (isOlder(crd) ? older(crd) : crd)));
  await api.client.apply(quotaSpecManifest('limits'));
  await eventually('the new kind is read', () => harness.objects.has('QuotaSpec/default/limits'));
  await api.client.apply({
    apiVersion: 'networking.mesh.internal/v1alpha3',
    kind: 'WorkloadEntry',
    metadata: { name: 'vm', namespace: 'default' },
    spec: { address: '10.9.9.9' },
  });
  await eventually('the older version is read', () => harness.objects.has('WorkloadEntry/default/vm'));
  t.is(harness.objects.get('WorkloadEntry/default/vm')?.apiVersion, 'networking.mesh.internal/v1beta1');
  t.deepEqual(harness.messages('warn'), []);
});

it('a CRD that is removed takes its objects with it, and brings the new ones when it returns', async (t) => {
  await api.client.applyAll([quotaSpecManifest('limits'), serviceManifest('web')]);
  const harness = createClusterHarness(t, api.kubeconfig);
  await harness.start();
  const crd = allCrds().find(({ metadata }) => metadata.name.startsWith('quotaspecs.'));
  await api.client.delete(crd as KubernetesManifest);
  await eventually('its objects are gone', () => !harness.objects.has('QuotaSpec/default/limits'));
  t.true(harness.objects.has('Service/default/web'));
  await api.client.apply(crd as KubernetesManifest);
  await api.client.apply(quotaSpecManifest('other'));
  await eventually('the new ones are there', () => harness.objects.has('QuotaSpec/default/other'));
});
