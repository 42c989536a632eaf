import test, { type ExecutionContext } from 'ava';
import { type ApiServer, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import {
  type Fault,
  type FaultProxy,
  startFaultProxy,
  statusBody,
} from '../../../counterparts/kubernetes/fault-proxy.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import { eventually } from '../../../support/eventually.js';
import { type ClusterHarness, createClusterHarness } from '../support/cluster-harness.js';
import { allCrds, namespaceManifest, podManifest, serviceManifest } from '../support/manifests.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll(allCrds());
  });
  test.after.always(() => api?.close());
}

interface Rig {
  readonly proxy: FaultProxy;
  readonly harness: ClusterHarness;
  readonly namespace: string;
  /** Names of the services that are served. */
  services(): readonly string[];
  /** Requests for services so far: lists and watches. */
  asked(): { readonly lists: number; readonly watches: number };
}

/** A source that reads one namespace through a proxy, with a service `web` in it. */
async function createRig(
  t: ExecutionContext,
  namespace: string,
  timing: NonNullable<Parameters<typeof createClusterHarness>[2]>['timing'] = {},
): Promise<Rig> {
  await api.client.apply(namespaceManifest(namespace));
  await api.client.apply(serviceManifest('web', namespace));
  const proxy = await startFaultProxy(api);
  const kubeconfig = await api.kubeconfigOf('admin', proxy.url);
  const harness = createClusterHarness(t, kubeconfig, { namespaces: [namespace], timing });
  // The source stops first: teardowns run in reverse.
  t.teardown(async () => {
    await harness.source.stop();
    await proxy.close();
  });
  return {
    proxy,
    harness,
    namespace,
    services: () =>
      [...harness.objects.values()]
        .filter(({ kind }) => kind === 'Service')
        .map(({ metadata }) => metadata.name)
        .sort(),
    asked: () => {
      const all = proxy.requests.filter((request) => request.includes('/services?'));
      const watches = all.filter((request) => request.includes('watch=true')).length;
      return { lists: all.length - watches, watches };
    },
  };
}

const isServices = (url: URL): boolean => url.pathname.endsWith('/services');
const isWatch = (url: URL): boolean => url.searchParams.get('watch') === 'true';

/** A rule that does something to the first so many watches of services, and nothing to the rest. */
function toWatches(count: number, fault: Fault): (url: URL) => Fault | undefined {
  let left = count;
  return (url) => {
    if (!isServices(url) || !isWatch(url) || left === 0) return undefined;
    left -= 1;
    return fault;
  };
}

const errorEvent = (code: number, reason: string): string =>
  `${JSON.stringify({ type: 'ERROR', object: JSON.parse(statusBody(code, reason)) })}\n`;

const olderEvent = `${JSON.stringify({
  type: 'ADDED',
  object: { metadata: { name: 'ghost', namespace: 'any', resourceVersion: '1' }, spec: {} },
})}\n`;

for (const [title, fault] of [
  ['an error event 410', { type: 'answer', status: 200, body: errorEvent(410, 'Expired'), isOpenEnded: true }],
  ['a status 410', { type: 'answer', status: 410, body: statusBody(410, 'Expired') }],
  ['an error event 500', { type: 'answer', status: 200, body: errorEvent(500, 'InternalError') }],
  ['half an event', { type: 'answer', status: 200, body: '{"type":"ADDED","object":{"kind"\n', isOpenEnded: true }],
  ['an event of nothing', { type: 'answer', status: 200, body: '{"type":"ADDED","object":null}\n' }],
  ['an older version', { type: 'answer', status: 200, body: olderEvent, isOpenEnded: true }],
  ['no JSON at all', { type: 'answer', status: 200, body: '<html>\n<body>\n', isOpenEnded: true }],
] as const satisfies readonly (readonly [string, Fault])[]) {
  it(`a watch that ends with ${title} is listed anew, and what did not change causes no event`, async (t) => {
    const rig = await createRig(t, `ended-${title.replaceAll(' ', '-').toLowerCase()}`);
    rig.proxy.setRule(toWatches(1, fault));
    await rig.harness.start();
    await eventually('it is listed anew', () => rig.asked().lists === 2);
    await api.client.apply(serviceManifest('late', rig.namespace));
    await eventually('changes come in', () => rig.services().includes('late'));
    t.deepEqual(rig.services(), ['late', 'web']);
    const added = rig.harness.events.filter((event) => event === 'Service add').length;
    t.is(added, 2);
    t.is(rig.harness.events.filter((event) => event.startsWith('Service ')).length, 2);
  });
}

it('a connection that breaks is taken up where it was, without a list', async (t) => {
  const rig = await createRig(t, 'cut', { outageListMs: 30_000 });
  await rig.harness.start();
  await eventually('it is watched', () => rig.asked().watches === 1);
  for (const name of ['one', 'two', 'three']) {
    rig.proxy.cut();
    await api.client.apply(serviceManifest(name, rig.namespace));
    await eventually(`${name} is there`, () => rig.services().includes(name));
  }
  await api.client.delete(serviceManifest('web', rig.namespace));
  await eventually('web is gone', () => !rig.services().includes('web'));
  t.is(rig.asked().lists, 1);
  t.is(rig.harness.events.filter((event) => event === 'Service add').length, 4);
});

it('what was deleted and made while nothing came through is found by the next list', async (t) => {
  const rig = await createRig(t, 'missed');
  await rig.harness.start();
  await api.client.apply(serviceManifest('kept', rig.namespace));
  await eventually('kept is there', () => rig.services().includes('kept'));
  let isOut = true;
  rig.proxy.setRule((url) => {
    if (isOut) return { type: 'answer', status: 503, body: statusBody(503, 'ServiceUnavailable') };
    return isServices(url) && isWatch(url) && url.searchParams.get('resourceVersion') === oldPlace
      ? { type: 'answer', status: 410, body: statusBody(410, 'Expired') }
      : undefined;
  });
  const { watches } = rig.asked();
  rig.proxy.cut();
  await eventually('the services are asked for in vain', () => rig.asked().watches > watches);
  const outage = 'the API server cannot be read, what was read last is served';
  await eventually('the outage is told', () => rig.harness.messages('warn').includes(outage));
  const last = rig.proxy.requests.findLast((request) => request.includes('/services?'));
  const oldPlace = new URL(last ?? '', 'http://proxy').searchParams.get('resourceVersion');
  await api.client.delete(serviceManifest('web', rig.namespace));
  await api.client.apply(serviceManifest('made', rig.namespace));
  t.deepEqual(rig.services(), ['kept', 'web']);
  isOut = false;
  await eventually('the state is the new one', () => rig.services().join() === 'kept,made');
  await eventually('its end is told', () => rig.harness.messages('info').includes('the API server can be read again'));
  t.is(rig.harness.messages('warn').filter((message) => message === outage).length, 1);
  t.true(rig.asked().lists >= 2);
});

it('after an outage of some length one list comes before the next watch', async (t) => {
  const rig = await createRig(t, 'lasting', { outageListMs: 300 });
  await rig.harness.start();
  await api.client.apply(serviceManifest('before', rig.namespace));
  await eventually('it is watched', () => rig.services().includes('before'));
  let outSinceMs: number | undefined;
  rig.proxy.setRule((url) => {
    if (!isServices(url)) return undefined;
    outSinceMs ??= performance.now();
    if (performance.now() - outSinceMs > 1_000) return undefined;
    return { type: 'answer', status: 503, body: statusBody(503, 'ServiceUnavailable') };
  });
  rig.proxy.cut();
  await eventually('it is over', () => rig.harness.messages('info').includes('the API server can be read again'));
  await api.client.apply(serviceManifest('late', rig.namespace));
  await eventually('changes come in', () => rig.services().includes('late'));
  t.is(rig.asked().lists, 2);
});

it('a watch that something swallows is noticed, and listed anew', async (t) => {
  const rig = await createRig(t, 'swallowed', { watchIdleMs: 3_000 });
  rig.proxy.setRule((url) => (isWatch(url) ? { type: 'swallow' } : undefined));
  await rig.harness.start();
  await api.client.apply(serviceManifest('late', rig.namespace));
  await eventually('it is found all the same', () => rig.services().includes('late'));
  t.false(rig.harness.messages('warn').includes('the API server cannot be read, what was read last is served'));
});

it('who ends every watch at once is not asked without a pause', async (t) => {
  const rig = await createRig(t, 'short-lived');
  const askedMs: number[] = [];
  rig.proxy.setRule((url) => {
    if (!isServices(url) || !isWatch(url)) return undefined;
    askedMs.push(performance.now());
    return { type: 'answer', status: 200, body: '' };
  });
  await rig.harness.start();
  await eventually('some watches were ended', () => askedMs.length >= 6);
  // Waits of at least 100, 200, 250, 250 and 250 ms lie between six watches, of which the first can come before the start ends.
  const [first = 0, , , , , sixth = 0] = askedMs;
  t.true(sixth - first > 900);
  rig.proxy.setRule(undefined);
  await api.client.apply(serviceManifest('late', rig.namespace));
  await eventually('nothing is lost', () => rig.services().includes('late'));
  t.is(rig.asked().lists, 1);
});

it('nothing is delivered before the last list is in, and then everything at once', async (t) => {
  const rig = await createRig(t, 'slow');
  await api.client.apply(podManifest('web-1', rig.namespace));
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  rig.proxy.setRule((url) => (url.pathname.endsWith('/pods') ? { type: 'hold', until } : undefined));
  const started = rig.harness.start();
  const others = (): number => rig.proxy.requests.filter((request) => request.includes('watch=true')).length;
  await eventually('everything else is watched', () => others() >= 10);
  await api.client.apply(serviceManifest('late', rig.namespace));
  t.deepEqual(rig.harness.batches, []);
  release();
  await started;
  t.is(rig.harness.batches.length, 1);
  t.true(rig.harness.objects.has(`Pod/${rig.namespace}/web-1`));
  await eventually('what came meanwhile is there', () => rig.services().includes('late'));
});

it('a list that is never answered is asked for again', async (t) => {
  const rig = await createRig(t, 'silent', { listIdleMs: 200 });
  let asked = 0;
  rig.proxy.setRule((url) => {
    if (!isServices(url) || isWatch(url)) return undefined;
    asked += 1;
    return asked <= 2 ? { type: 'silence' } : undefined;
  });
  await rig.harness.start();
  t.deepEqual(rig.services(), ['web']);
  t.true(asked >= 3);
});

it('a list whose rest expired on the way is begun anew, and half of it is never served', async (t) => {
  const rig = await createRig(t, 'paged');
  const names = Array.from({ length: 620 }, (_, index) => `entry-${String(index).padStart(3, '0')}`);
  const entry = (name: string) => ({
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'WorkloadEntry',
    metadata: { name, namespace: rig.namespace },
    spec: { address: '10.9.9.9' },
  });
  await api.client.applyAll(names.map(entry));
  let expired = 0;
  rig.proxy.setRule((url) => {
    if (!url.searchParams.has('continue') || expired > 0) return undefined;
    expired += 1;
    return { type: 'answer', status: 410, body: statusBody(410, 'Expired') };
  });
  await rig.harness.start();
  t.is(expired, 1);
  t.is([...rig.harness.objects.keys()].filter((key) => key.startsWith('WorkloadEntry/')).length, names.length);
  t.is(rig.harness.batches.length, 1);
  t.is(rig.harness.events.filter((event) => event === 'WorkloadEntry add').length, names.length);
});

it('a kind that is said to be missing once keeps its objects', async (t) => {
  const rig = await createRig(t, 'blip');
  await rig.harness.start();
  let misses = 2;
  rig.proxy.setRule((url) => {
    if (!isServices(url) || misses === 0) return undefined;
    misses -= 1;
    return { type: 'answer', status: 404, body: 'no such page' };
  });
  rig.proxy.cut();
  await eventually('it was said to be missing', () => misses === 0 && rig.asked().lists >= 2);
  await api.client.apply(serviceManifest('late', rig.namespace));
  await eventually('it is read again', () => rig.services().includes('late'));
  t.false(rig.harness.events.includes('Service delete'));
});

it('an API server that is busy says when to come back, and is obeyed', async (t) => {
  const rig = await createRig(t, 'busy');
  const busy = JSON.stringify({ ...JSON.parse(statusBody(429, 'TooManyRequests')), details: { retryAfterSeconds: 1 } });
  let answeredMs = 0;
  let returnedMs = 0;
  rig.proxy.setRule((url) => {
    if (!isServices(url) || isWatch(url) || returnedMs > 0) return undefined;
    if (answeredMs > 0) {
      returnedMs = performance.now();
      return undefined;
    }
    answeredMs = performance.now();
    return { type: 'answer', status: 429, body: busy };
  });
  await rig.harness.start();
  t.true(returnedMs - answeredMs >= 990);
  t.deepEqual(rig.harness.messages('warn'), []);
});
