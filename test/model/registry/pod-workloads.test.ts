import test from 'ava';
import { PodWorkloads } from '../../../src/model/registry/cluster-workloads.js';
import type { Pod } from '../../../src/model/registry/pod.js';
import type { Translation } from '../../../src/model/registry/translation.js';
import { pod } from '../mesh-objects.js';

const translation: Translation = {
  cluster: 'east',
  domain: 'cluster.local',
  meshDomain: 'mesh.internal',
  trustDomain: 'cluster.local',
  defaultServiceExportTo: ['*'],
  edsForHeadlessServices: false,
  networkOf: () => '',
  rootNamespace: 'mesh-system',
  offencesOf: () => [],
};

test('services that list the same pod share its translation', (t) => {
  const workloads = new PodWorkloads();
  const web = pod('shop/web', '10.0.0.1') as Pod;
  const first = workloads.translate(web, '10.0.0.1', 'r/z', translation);
  t.is(first.locality, 'r/z');
  t.is(workloads.translate(web, '10.0.0.1', 'r/z', translation), first);
});

test('another locality, address, translation or state of the pod is not taken for the one before', (t) => {
  const workloads = new PodWorkloads();
  const web = pod('shop/web', '10.0.0.1') as Pod;
  workloads.translate(web, '10.0.0.1', '', translation);
  t.is(workloads.translate(web, '10.0.0.1', 'r/z', translation).locality, 'r/z');
  const onNetwork = { ...translation, trustDomain: 'other', networkOf: (address: string) => `n-${address}` };
  const elsewhere = workloads.translate(web, '10.0.0.1', 'r/z', onNetwork);
  t.is(elsewhere.network, 'n-10.0.0.1');
  t.is(workloads.translate(web, '10.0.0.2', 'r/z', onNetwork).network, 'n-10.0.0.2');
  const relabelled = pod('shop/web', '10.0.0.1', { labels: { app: 'other' } }) as Pod;
  t.deepEqual(workloads.translate(relabelled, '10.0.0.1', 'r/z', onNetwork).labels, { app: 'other' });
});
