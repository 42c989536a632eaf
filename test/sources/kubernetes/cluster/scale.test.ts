import test from 'ava';
import { startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import { collectGarbage } from '../../../support/collect-garbage.js';
import { eventually } from '../../../support/eventually.js';
import { createClusterHarness } from '../support/cluster-harness.js';
import { podManifest } from '../support/manifests.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
const PODS = 1_200;

it('more than a thousand pods are read in a moment and kept in less than two kilobytes each', async (t) => {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  const pods = Array.from({ length: PODS }, (_, index) =>
    podManifest(`web-${index}`, 'default', `10.200.${index >> 8}.${index & 255}`),
  );
  await api.client.applyAll(pods);

  // The client library is loaded before the measurement.
  const first = createClusterHarness(t, api.kubeconfig);
  await first.start();
  await first.source.stop();
  t.is(first.events.filter((event) => event === 'Pod add').length, PODS);
  const harness = createClusterHarness(t, api.kubeconfig);
  const sizes: number[] = [];
  const measure = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    sizes.push(process.memoryUsage().heapUsed);
  };
  await measure();
  const startMs = performance.now();
  await harness.start();
  const readMs = performance.now() - startMs;
  await measure();
  const bytesPerPod = ((sizes[1] ?? 0) - (sizes[0] ?? 0)) / PODS;
  t.log(`read in ${Math.round(readMs)} ms, ${Math.round(bytesPerPod)} bytes per pod`);
  t.is(harness.batches.length, 1);
  t.true(readMs < 5_000, `it took ${readMs} ms`);
  t.true(bytesPerPod < 2_000, `${bytesPerPod} bytes`);

  const [last] = pods.slice(-1);
  if (last === undefined) return;
  await api.client.patch(last, { metadata: { labels: { version: 'v2' } } });
  const version = (): string | undefined =>
    harness.objects.get(`Pod/default/${last.metadata.name}`)?.metadata.labels['version'];
  await eventually('a change comes in', () => version() === 'v2');
});
