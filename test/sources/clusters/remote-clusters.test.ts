import test from 'ava';
import { type ClustersRig, createClustersRig, kubeconfigFor, secretKey, turn } from './support/clusters-rig.js';

const WEST = kubeconfigFor('west-a');
const MOVED = kubeconfigFor('west-b');
const HOSTILE = WEST.replace('"token":"token"', '"exec":{"command":"/bin/s3cr3t"}');

function serves(rig: ClustersRig): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries([...rig.served].map(([id, names]) => [id, [...names].sort()]));
}

test('a cluster is served once it is read completely, and later changes are added', async (t) => {
  const rig = createClustersRig();
  rig.register({ a: { west: WEST } });
  const source = await rig.source('west-a');
  t.deepEqual(serves(rig), {});
  source.deliver('web', 'api');
  source.deliver('cart');
  t.deepEqual(serves(rig), { west: ['api', 'cart', 'web'] });
  t.deepEqual(rig.observed, ['reached west https://west-a']);
  await rig.clusters.tried();
});

test('a removed cluster leaves no objects, and its watches end', async (t) => {
  const rig = createClustersRig();
  rig.register({ a: { west: WEST, north: kubeconfigFor('north') } });
  const west = await rig.source('west-a');
  west.deliver('web');
  (await rig.source('north')).deliver('web');
  rig.register({ a: { north: kubeconfigFor('north') } });
  west.deliver('late');
  t.deepEqual(serves(rig), { north: ['web'] });
  t.true(west.stopped);
  t.deepEqual(rig.observed.slice(-1), ['removed west']);
  t.deepEqual(rig.messages('info').slice(-1), ['a remote cluster is removed']);
});

test('a changed kubeconfig takes effect once its cluster is read, and the former objects stay until then', async (t) => {
  const rig = createClustersRig();
  rig.register({ a: { west: WEST } });
  const before = await rig.source('west-a');
  before.deliver('web', 'old');
  rig.register({ a: { west: MOVED } });
  const after = await rig.source('west-b');
  before.deliver('meanwhile');
  t.deepEqual(serves(rig), { west: ['meanwhile', 'old', 'web'] });
  t.false(before.stopped);
  after.deliver('web', 'new');
  before.deliver('late');
  t.deepEqual(serves(rig), { west: ['new', 'web'] });
  t.true(before.stopped);
  t.deepEqual(rig.observed, ['reached west https://west-a', 'reached west https://west-b']);
});

test('a kubeconfig that changes again before its cluster was read never takes over', async (t) => {
  const rig = createClustersRig();
  rig.register({ a: { west: WEST } });
  (await rig.source('west-a')).deliver('web');
  rig.register({ a: { west: MOVED } });
  const overtaken = await rig.source('west-b');
  rig.register({ a: { west: kubeconfigFor('west-c') } });
  const last = await rig.source('west-c');
  overtaken.deliver('wrong');
  t.deepEqual(serves(rig), { west: ['web'] });
  last.deliver('right');
  t.deepEqual(serves(rig), { west: ['right'] });
});

test('a kubeconfig that becomes bad is reported, and the objects of the good one stay', async (t) => {
  const rig = createClustersRig();
  rig.register({ a: { west: WEST } });
  const source = await rig.source('west-a');
  source.deliver('web');
  rig.register({ a: { west: HOSTILE } });
  source.deliver('more');
  t.deepEqual(serves(rig), { west: ['more', 'web'] });
  const [problem, ...others] = rig.clusters.problems();
  t.deepEqual(others, []);
  t.like(problem, { object: secretKey('a'), field: 'data.west' });
  t.regex(problem?.reason ?? '', /^user\.exec: it runs a program/);
  t.deepEqual(rig.messages('error'), ['the kubeconfig of a remote cluster cannot be used']);
  t.false(`${rig.logText()}${JSON.stringify(rig.clusters.problems())}`.includes('s3cr3t'));
  rig.register({ a: { west: MOVED } });
  (await rig.source('west-b')).deliver('new');
  t.deepEqual(serves(rig), { west: ['new'] });
  t.deepEqual(rig.clusters.problems(), []);
});

test('a kubeconfig with fewer rights than the former one is reported and retried, and removes no objects', async (t) => {
  const rig = createClustersRig();
  rig.register({ a: { west: WEST } });
  const before = await rig.source('west-a');
  before.deliver('web');
  rig.register({ a: { west: MOVED } });
  const poor = await rig.source('west-b');
  poor.forbidden = ['services: forbidden'];
  poor.deliver();
  poor.deliver('late');
  before.deliver('more');
  await turn();
  t.true(poor.stopped);
  t.deepEqual(serves(rig), { west: ['more', 'web'] });
  t.deepEqual(
    rig.clusters.problems().map(({ reason }) => reason),
    ['cluster west: services: forbidden'],
  );
  t.is(rig.messages('error').length, 1);
  rig.clock.advance(5_000);
  (await rig.source('west-b')).deliver('new');
  t.deepEqual(serves(rig), { west: ['new'] });
  t.deepEqual(rig.clusters.problems(), []);
});

test('kinds that a first kubeconfig may not read do not keep the other kinds from being served', async (t) => {
  const rig = createClustersRig();
  rig.register({ a: { west: WEST } });
  const source = await rig.source('west-a');
  source.forbidden = ['nodes: forbidden'];
  source.deliver('web');
  t.deepEqual(serves(rig), { west: ['web'] });
  rig.register({ a: { west: MOVED } });
  const next = await rig.source('west-b');
  next.forbidden = source.forbidden;
  next.deliver('new');
  t.deepEqual(serves(rig), { west: ['new'] });
});

test('the same secret again, or the same kubeconfig in another secret, changes nothing', async (t) => {
  const rig = createClustersRig();
  rig.register({ a: { west: WEST } });
  const source = await rig.source('west-a');
  source.deliver('web');
  rig.register({ a: { west: WEST } });
  rig.register({ a: { west: WEST }, b: { west: WEST } });
  rig.register({ b: { west: WEST } });
  await turn();
  t.is(rig.sources.length, 1);
  t.false(source.stopped);
  t.deepEqual(serves(rig), { west: ['web'] });
});

test('the own cluster and an id that another secret has are told of once, and not read', async (t) => {
  const rig = createClustersRig();
  const secrets = { a: { west: WEST, own: WEST }, b: { west: MOVED } };
  rig.register(secrets);
  rig.register(secrets);
  (await rig.source('west-a')).deliver('web');
  t.is(rig.sources.length, 1);
  t.deepEqual(
    rig.clusters.problems().map(({ object, field }) => `${object} ${field}`),
    [`${secretKey('a')} data.own`, `${secretKey('b')} data.west`],
  );
  t.is(rig.messages('warn').length, 2);
  rig.register({ b: secrets.b });
  (await rig.source('west-b')).deliver('moved');
  t.deepEqual(serves(rig), { west: ['moved'] });
});

test('a cluster that does not answer is tried five times soon, then seldom, and served when it comes', async (t) => {
  const rig = createClustersRig();
  rig.down.add('https://west-a');
  rig.register({ a: { west: WEST }, b: { north: kubeconfigFor('north') } });
  (await rig.source('north')).deliver('web');
  let isTried = false;
  const tried = rig.clusters.tried().then(() => {
    isTried = true;
  });
  const attempts = (): number => rig.requests.filter((server) => server === 'https://west-a').length;
  for (const waitMs of [250, 500, 1_000, 2_000, 4_000]) {
    await turn();
    t.false(isTried);
    rig.clock.advance(waitMs);
  }
  await tried;
  t.is(attempts(), 6);
  t.deepEqual(serves(rig), { north: ['web'] });
  t.deepEqual(rig.messages('error'), ['a remote cluster cannot be reached, it is tried more seldom from now on']);
  t.regex(rig.clusters.problems()[0]?.reason ?? '', /https:\/\/west-a of cluster west cannot be read: connect ECONN/);
  rig.clock.advance(3_500);
  await turn();
  t.is(attempts(), 6);
  rig.down.clear();
  rig.clock.advance(60_000);
  (await rig.source('west-a')).deliver('api');
  t.deepEqual(serves(rig), { north: ['web'], west: ['api'] });
  t.deepEqual(rig.clusters.problems(), []);
});

for (const [status, isReached] of [
  [401, false],
  [429, false],
  [503, false],
  [403, true],
  [404, true],
] as const) {
  test(`an API server that answers ${status} ${isReached ? 'is there, and read' : 'is tried again, and told of in few words'}`, async (t) => {
    const rig = createClustersRig();
    rig.answers.set('https://west-a', { status, body: { message: 'no'.repeat(1_000_000) } });
    rig.register({ a: { west: WEST } });
    for (let turns = 0; turns < 5; turns += 1) await turn();
    t.is(rig.sources.length, isReached ? 1 : 0);
    t.is(rig.clusters.problems().length, isReached ? 0 : 1);
    t.true(JSON.stringify(rig.clusters.problems()).length < 500);
    t.true(rig.logText().length < 5_000);
    await rig.clusters.stop();
  });
}

test('an outage of a cluster that is read is told for as long as it lasts', async (t) => {
  const rig = createClustersRig();
  rig.register({ a: { west: WEST } });
  const source = await rig.source('west-a');
  source.deliver('web');
  source.outage = Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' });
  t.regex(rig.clusters.problems()[0]?.reason ?? '', /cannot be read: ETIMEDOUT/);
  source.outage = undefined;
  t.deepEqual(rig.clusters.problems(), []);
});

test('a stop ends every cluster, also those being connected to, and no change follows it', async (t) => {
  const rig = createClustersRig();
  rig.down.add('https://west-a');
  rig.register({ a: { west: WEST, north: kubeconfigFor('north'), south: kubeconfigFor('south') } });
  const [north, south] = [await rig.source('north'), await rig.source('south')];
  north.deliver('web');
  await rig.clusters.stop();
  t.true(north.stopped && south.stopped);
  t.is(rig.clock.pending, 0);
  rig.register({ a: { east: kubeconfigFor('east') } });
  await turn();
  t.is(rig.sources.length, 2);
});
