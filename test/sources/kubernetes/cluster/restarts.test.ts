import { readFile, writeFile } from 'node:fs/promises';
import test from 'ava';
import { type ApiServer, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import { eventually } from '../../../support/eventually.js';
import { type ClusterHarness, createClusterHarness } from '../support/cluster-harness.js';
import { allCrds, quotaSpecManifest, serviceManifest } from '../support/manifests.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
const OUTAGE = 'the API server cannot be read, what was read last is served';
const RECOVERY = 'the API server can be read again';

let shared: ApiServer;

async function startOwn(flags: readonly string[] = []): Promise<ApiServer> {
  const api = await startApiServer({ binary: String(binary), flags });
  await api.client.applyAll(allCrds());
  await api.client.applyAll([serviceManifest('web'), quotaSpecManifest('limits')]);
  return api;
}

if (binary !== undefined) {
  test.before(async () => {
    shared = await startOwn();
  });
  test.after.always(() => shared?.close());
}

const services = ({ objects }: ClusterHarness): string =>
  [...objects.values()]
    .filter(({ kind, metadata }) => kind === 'Service' && metadata.name !== 'kubernetes')
    .map(({ metadata }) => metadata.name)
    .sort()
    .join();

const chargeOf = ({ objects }: ClusterHarness): number | undefined => {
  const body = objects.get('QuotaSpec/default/limits')?.body;
  return (body as { rules: { quotas: { charge: number }[] }[] } | undefined)?.rules[0]?.quotas[0]?.charge;
};

it('credentials that are refused are told of, and a kubeconfig written anew is taken up', async (t) => {
  const file = await shared.kubeconfigOf('reader-0');
  const good = await readFile(shared.kubeconfig, 'utf8');
  await writeFile(file, good.replace('admin-token', 'no-such-token'));
  const harness = createClusterHarness(t, file);
  const started = harness.start();
  await eventually('it is told', () => harness.messages('warn').includes(OUTAGE));
  t.regex(String(harness.log.find(({ message }) => message === OUTAGE)?.fields['err']), /Unauthorized/);
  await writeFile(file, good);
  await started;
  t.is(services(harness), 'web');
});

it('an API server that is killed and comes back is told of once, and nothing changes for it', async (t) => {
  const harness = createClusterHarness(t, shared.kubeconfig);
  await harness.start();
  await shared.stopApi();
  await eventually('it is told', () => harness.messages('warn').includes(OUTAGE));
  t.is(services(harness), 'web');
  await shared.startApi();
  await shared.client.apply(serviceManifest('late'));
  await shared.client.apply(quotaSpecManifest('limits', 'default', 2));
  await eventually('a service comes in', () => services(harness) === 'late,web');
  await eventually('a policy comes in', () => chargeOf(harness) === 2);
  await eventually('its end is told', () => harness.messages('info').includes(RECOVERY));
  t.is(harness.messages('warn').filter((message) => message === OUTAGE).length, 1);
  t.deepEqual(
    harness.events.filter((event) => event.endsWith(' delete')),
    [],
  );
  t.deepEqual(harness.messages('error'), []);
  t.false(harness.messages().includes('a kind of object is installed now, and read'));
});

it('an API server that starts after us is waited for', async (t) => {
  await shared.stopApi();
  const harness = createClusterHarness(t, shared.kubeconfig);
  const started = harness.start();
  await eventually('it is told', () => harness.messages('warn').includes(OUTAGE));
  t.deepEqual(harness.batches, []);
  await shared.startApi();
  await started;
  t.is(harness.batches.length, 1);
  t.is(services(harness), 'late,web');
  t.true(harness.objects.has('QuotaSpec/default/limits'));
});

it('a cluster that is restored from nothing is followed, though its revisions begin anew', async (t) => {
  await shared.client.applyAll(Array.from({ length: 50 }, (_, index) => serviceManifest(`old-${index}`)));
  const harness = createClusterHarness(t, shared.kubeconfig);
  await harness.start();
  await shared.reset();
  await shared.client.apply(serviceManifest('new'));
  await eventually('the old services are gone and the new one is there', () => services(harness) === 'new');
  await eventually('what has no CRD any more is gone', () => !harness.objects.has('QuotaSpec/default/limits'));
  await shared.client.apply(serviceManifest('newer'));
  await eventually('changes come in', () => services(harness) === 'new,newer');
  t.deepEqual(harness.messages('error'), []);
});

it('without a watch cache, compaction of old revisions during an outage loses nothing', async (t) => {
  const api = await startOwn(['--watch-cache=false']);
  t.teardown(() => api.close());
  const harness = createClusterHarness(t, api.kubeconfig);
  await harness.start();
  await api.stopApi();
  await eventually('it is told', () => harness.messages('warn').includes(OUTAGE));
  // Revisions that the watches never saw, written and forgotten before they return.
  await api.startApi();
  await api.client.delete(serviceManifest('web'));
  await api.client.apply(serviceManifest('made'));
  await api.compact();
  await eventually('the state is the new one', () => services(harness) === 'made');
  await api.client.apply(serviceManifest('late'));
  await api.compact();
  await eventually('changes come in', () => services(harness) === 'late,made');
  t.is(harness.events.filter((event) => event === 'Service delete').length, 1);
});
