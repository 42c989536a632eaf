import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type KubernetesOptions, runKubernetes } from '../../../bench/kubernetes/run-kubernetes.js';
import { Cleanup } from '../../../bench/run/cleanup.js';
import { OwnedProcesses } from '../../../bench/subject/owned-process.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';

const { available: binary } = requireKubernetes();
// Without an API server `npm test` says why it is skipped; with REQUIRE_COUNTERPARTS=1, as in .ci/run, that is an error.
const it = binary === undefined ? test.skip : test;

const OPTIONS: KubernetesOptions = {
  size: { services: 20, endpointsPerService: 2, pods: 10, namespaces: 2 },
  clients: 3,
  workers: 1,
  starts: 2,
  perSecond: 5,
  seconds: 1,
  debounceMaxMs: 10_000,
  timeoutMs: 60_000,
  profileFolder: undefined,
};

it('a small cluster is created and kept, and each change reaches the floor and the clients', async (t) => {
  const keptFolder = await mkdtemp(join(tmpdir(), 'navigator-kept-'));
  t.teardown(() => rm(keptFolder, { recursive: true, force: true }));
  const cleanup = new Cleanup();
  t.teardown(() => cleanup.run());
  const context = { binary: String(binary), keptFolder, processes: new OwnedProcesses(), cleanup, progress: () => {} };
  const { objects, starts, sync, churn, peakResidentBytes } = await runKubernetes(OPTIONS, context);
  // The API server has a service and a slice of its own.
  t.is(objects, 20 + 20 + 10 + 2);
  t.is(starts.length, 2);
  t.true(starts.every(({ readyMs, floorMs }) => readyMs > 0 && floorMs > 0));
  t.is(sync.clientMs.length, 3);
  t.like(churn, { changes: 5, refused: 0, missing: 0 });
  t.is(churn.clientMs.length, 5 * 3);
  t.is(churn.floorMs.length, 5);
  t.true(churn.clientMs.every((latencyMs) => latencyMs > 0));
  t.true(peakResidentBytes > 0);
  t.is((await readdir(keptFolder)).length, 1);
});
