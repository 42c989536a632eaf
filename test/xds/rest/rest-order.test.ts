import test, { type ExecutionContext } from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import type { XdsLimits } from '../../../src/xds/limits/xds-limits.js';
import { eventually } from '../../support/eventually.js';
import { pushRequest } from '../../support/push-requests.js';
import { NODE, type RestAnswer, type RestRig, startRestRig } from './rest-rig.js';

/** A subscription of the proxy: it polls again after each answer, as Envoy does. */
interface Polled {
  /** All answers 200 so far, as their bodies. */
  readonly answers: (readonly string[])[];
  /** Polls with the version that it has. The answer counts as taken when it polls again. */
  poll(): Promise<void>;
}

interface Proxy extends RestRig {
  readonly clusters: Polled;
  readonly route: Polled;
  endpoints(cluster: string): Polled;
  /** Changes clusters and the table of the route `a`. */
  change(clusters: Record<string, string>, table: string): void;
}

/** A proxy with the clusters a and b, their endpoints and the route a, all taken; each is polled. */
async function connect(t: ExecutionContext, limits: Partial<XdsLimits> = {}): Promise<Proxy> {
  const { id } = NODE;
  const rig = await startRestRig(t, {}, limits);
  const proxy: Proxy = {
    ...rig,
    clusters: subscribe(rig, id, 'clusters', []),
    route: subscribe(rig, id, 'routes', ['a']),
    endpoints: (cluster) => subscribe(rig, id, 'endpoints', [cluster]),
    change: (clusters, table) => {
      rig.content.clusters = clusters;
      rig.content.endpoints = { ...rig.content.endpoints, ...clusters };
      rig.content.routes = { a: table };
      rig.distributor.submit(pushRequest({ changed: 'everything' }));
      rig.clock.advance(0);
    },
  };
  for (const polled of [proxy.clusters, proxy.endpoints('a'), proxy.endpoints('b'), proxy.route]) {
    await polled.poll();
    void polled.poll();
  }
  await areTaken(rig, 4);
  return proxy;
}

function subscribe(rig: RestRig, id: string, path: string, names: readonly string[]): Polled {
  let version = '';
  const answers: (readonly string[])[] = [];
  const take = (answer: RestAnswer): void => {
    if (answer.status !== 200) return;
    ({ version } = answer);
    answers.push(answer.bodies);
  };
  return {
    answers,
    poll: async () => {
      const body = { node: { id }, version_info: version, resource_names: names };
      take(await rig.poll(`/v3/discovery:${path}`, body));
    },
  };
}

async function areTaken(rig: RestRig, subscriptions: number): Promise<void> {
  await eventually('all answers are taken', () => {
    const watches = [...rig.sessions].flatMap((session) => [...(session.snapshot()?.watches.values() ?? [])]);
    const taken = watches.filter(({ sentNonce, ackedNonce }) => sentNonce === ackedNonce);
    return taken.length >= subscriptions && taken.length === watches.length;
  });
}

const newest = ({ answers }: Polled): string | undefined => answers.at(-1)?.join(' ');

/** Waits until the subscription has had so many answers. */
async function hasAnswers(polled: Polled, count: number): Promise<void> {
  await eventually(`answer ${count}`, () => polled.answers.length >= count);
}

/** Whatever was sent before is read: a poll of another subscription has been answered since. */
async function othersAreServed(proxy: Proxy): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await proxy.endpoints(`other-${turn}`).poll();
}

test('a route to a new cluster is sent when the proxy has taken the cluster and its endpoints', async (t) => {
  const proxy = await connect(t);
  const { clusters, route } = proxy;
  const endpoints = proxy.endpoints('c');
  proxy.change({ a: '1', b: '1', c: '1' }, 'toc');
  await hasAnswers(clusters, 2);
  t.is(newest(clusters), 'a=1 b=1 c=1');
  await endpoints.poll();
  void clusters.poll();
  await eventually('the clusters are taken', () => {
    const [session] = proxy.sessions;
    const watch = session?.snapshot()?.watches.get(TypeUrl.cluster);
    return watch !== undefined && watch.sentNonce === watch.ackedNonce;
  });
  t.is(newest(route), 'a=1');
  void endpoints.poll();
  await hasAnswers(route, 2);
  t.is(newest(route), 'a=toc');
});

test('a route waits for clusters that no poll can carry yet', async (t) => {
  const proxy = await connect(t);
  const { clusters, route } = proxy;
  proxy.change({ a: '2', b: '1' }, 'second');
  await hasAnswers(route, 2);
  // The clusters are not polled now.
  proxy.change({ a: '2', b: '1', c: '1' }, 'third');
  void route.poll();
  await othersAreServed(proxy);
  t.is(newest(route), 'a=second');
  void clusters.poll();
  await hasAnswers(clusters, 3);
  t.is(newest(clusters), 'a=2 b=1 c=1');
});

test('a cluster in place of another: first both, then the route, then the new one alone', async (t) => {
  const proxy = await connect(t);
  const { clusters, route } = proxy;
  proxy.change({ a: '1', c: '1' }, 'toc');
  await hasAnswers(clusters, 2);
  t.is(newest(clusters), 'a=1 b=1 c=1');
  void clusters.poll();
  await hasAnswers(route, 2);
  t.is(newest(route), 'a=toc');
  await othersAreServed(proxy);
  t.is(clusters.answers.length, 2);
  void route.poll();
  await hasAnswers(clusters, 3);
  t.is(newest(clusters), 'a=1 c=1');
});

test('a cluster that the proxy never takes holds up the routes for the limit only', async (t) => {
  const proxy = await connect(t, { ackMs: 5_000 });
  proxy.change({ a: '1', b: '1', c: '1' }, 'toc');
  await hasAnswers(proxy.clusters, 2);
  await othersAreServed(proxy);
  t.is(newest(proxy.route), 'a=1');
  proxy.clock.advance(5_000);
  await hasAnswers(proxy.route, 2);
  t.is(newest(proxy.route), 'a=toc');
});

test('a route that the proxy never takes keeps old clusters for the limit only', async (t) => {
  const proxy = await connect(t, { ackMs: 5_000 });
  proxy.change({ a: '1', c: '1' }, 'toc');
  await hasAnswers(proxy.clusters, 2);
  void proxy.clusters.poll();
  await hasAnswers(proxy.route, 2);
  await othersAreServed(proxy);
  proxy.clock.advance(5_000);
  await hasAnswers(proxy.clusters, 3);
  t.is(newest(proxy.clusters), 'a=1 c=1');
});

test('a proxy does not wait for the clusters of another one', async (t) => {
  const proxy = await connect(t);
  const other = subscribe(proxy, 'sidecar~10.0.0.2~pod2.ns~ns.svc.cluster.local', 'routes', ['a']);
  await other.poll();
  void other.poll();
  await areTaken(proxy, 5);
  proxy.change({ a: '1', b: '1', c: '1' }, 'toc');
  await hasAnswers(other, 2);
  t.is(newest(other), 'a=toc');
  t.is(newest(proxy.route), 'a=1');
});
