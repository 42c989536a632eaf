import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { type ApiServer, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { type Fault, startFaultProxy, statusBody } from '../../../counterparts/kubernetes/fault-proxy.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../../../counterparts/kubernetes/kubernetes-client.js';
import { eventually } from '../../../support/eventually.js';
import { type ClusterHarness, createClusterHarness } from '../support/cluster-harness.js';
import { allCrds, namespaceManifest, podManifest, quotaSpecManifest, serviceManifest } from '../support/manifests.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
const NAMESPACE = 'chaos';
const WRITES = 250;
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll([...allCrds(), namespaceManifest(NAMESPACE)]);
  });
  test.after.always(() => api?.close());
}

/** The same numbers for the same seed, so that a failure can be had again. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const expired: Fault = { type: 'answer', status: 410, body: statusBody(410, 'Expired') };
const FAULTS: readonly (Fault | undefined)[] = [
  undefined,
  undefined,
  undefined,
  { type: 'answer', status: 503, body: statusBody(503, 'ServiceUnavailable') },
  { type: 'answer', status: 429, body: statusBody(429, 'TooManyRequests') },
  { type: 'answer', status: 403, body: statusBody(403, 'Forbidden') },
  { type: 'answer', status: 404, body: '404 page not found' },
  { type: 'answer', status: 200, body: '' },
  { type: 'answer', status: 200, body: '{"type":"MODIFIED","object":{"metada' },
  { type: 'answer', status: 200, body: '{"type":"MODIFIED","object":{"metada\n', isOpenEnded: true },
  { type: 'silence' },
  { type: 'swallow' },
  expired,
];

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** What a source holds, by object and content. */
const contents = ({ objects }: ClusterHarness): string =>
  [...objects]
    .map(([key, { metadata, body }]) => `${key} ${JSON.stringify([metadata.labels, body])}`)
    .sort()
    .join('\n');

/** Writes, changes and deletes a few objects of three kinds over and over. */
async function writeAtRandom(random: () => number): Promise<void> {
  const present = new Map<string, KubernetesManifest>();
  for (let count = 0; count < WRITES; count += 1) {
    const name = `object-${Math.floor(random() * 8)}`;
    const manifest = pick(
      [
        serviceManifest(name, NAMESPACE, { selector: { app: `app-${Math.floor(random() * 4)}` } }),
        podManifest(name, NAMESPACE, `10.244.3.${1 + Math.floor(random() * 200)}`),
        quotaSpecManifest(name, NAMESPACE, 1 + Math.floor(random() * 100)),
      ],
      random,
    );
    const key = `${manifest.kind} ${name}`;
    if (present.has(key) && random() < 0.4) {
      await api.client.delete(manifest);
      present.delete(key);
    } else {
      await api.client.apply(manifest);
      present.set(key, manifest);
    }
  }
}

for (const seed of [1, 20_261_121]) {
  it(`whatever goes wrong on the way, what is read becomes what the cluster has (seed ${seed})`, async (t) => {
    const random = createRandom(seed);
    const proxy = await startFaultProxy(api);
    const kubeconfig = await api.kubeconfigOf('admin', proxy.url);
    const options = { namespaces: [NAMESPACE] };
    const timing = { listIdleMs: 300, watchIdleMs: 500, maxRetryMs: 200 };
    const harness = createClusterHarness(t, kubeconfig, { ...options, timing });
    t.teardown(async () => {
      await harness.source.stop();
      await proxy.close();
    });
    await harness.start();

    proxy.setRule(() => pick(FAULTS, random));
    let isWriting = true;
    const cutting = (async () => {
      while (isWriting) {
        await delay(50 + random() * 200);
        proxy.cut();
      }
    })();
    await writeAtRandom(createRandom(seed + 1));
    isWriting = false;
    await cutting;
    proxy.setRule(undefined);

    const truth = createClusterHarness(t, api.kubeconfig, options);
    await truth.start();
    await eventually('both have the same', () => contents(harness) === contents(truth));
    t.true(truth.objects.size > 4);
    t.true(proxy.requests.length > 50, `${proxy.requests.length} requests`);
  });
}
