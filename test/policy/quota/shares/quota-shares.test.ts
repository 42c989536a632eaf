import test from 'ava';
import { createMemoryStore } from '../../../../src/policy/quota/memory/memory-store.js';
import type { BucketAction } from '../../../../src/policy/quota/shares/bucket-action.js';
import { MAX_BUCKETS_PER_PROXY } from '../../../../src/policy/quota/shares/quota-shares.js';
import { bucketIdOf } from '../../../../src/policy/wire/quota-buckets.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { addProxy, createSharesRig, limitOf, mostIn, run, type SimulatedProxy } from './simulated-proxies.js';

const four = (rig: ReturnType<typeof createSharesRig>): readonly SimulatedProxy[] =>
  Array.from({ length: 4 }, () => addProxy(rig));
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

test('no window of a minute has more than its limit and the first requests, and none is wasted', async (t) => {
  const rig = createSharesRig([limitOf()]);
  const passed = await run(rig, four(rig), [50, 50, 50, 50], 180);
  t.true(mostIn(passed, 60) <= 6000 * 1.01, `${mostIn(passed, 60)}`);
  t.true(sum(passed) >= 17_000, `${sum(passed)} of 18,000`);
});

test('below the limit nearly no request is refused, however near it is', async (t) => {
  const rig = createSharesRig([limitOf()]);
  const proxies = four(rig);
  await run(rig, proxies, [57, 19, 14, 5], 120);
  const refused = sum(proxies.map((proxy) => proxy.refused));
  t.true(refused <= 120, `${refused} of 11,400 refused`);
});

test('a proxy gets what the others do not need, after its next report', async (t) => {
  const rig = createSharesRig([limitOf({ maxAmount: 1000, validDurationMs: 1000 })]);
  const [busy, ...idle] = four(rig);
  if (busy === undefined) return t.fail();
  await run(rig, [busy, ...idle], [1500, 20, 20, 20], 5);
  const before = busy.passed;
  await run(rig, [busy, ...idle], [1500, 20, 20, 20], 6);
  await run(rig, [busy, ...idle], [1500, 20, 20, 20], 5);
  t.true(busy.passed - before > 880 * 11 * 0.9, `${busy.passed - before}`);
  t.deepEqual(
    idle.map(({ refused }) => refused),
    [0, 0, 0],
  );
});

test('a limit of a short window is a rate, with a burst of a tenth at first', async (t) => {
  const rig = createSharesRig([limitOf({ maxAmount: 400, validDurationMs: 1000 })]);
  const passed = await run(rig, four(rig), [300, 300, 300, 300], 12);
  t.true((passed[0] ?? 0) <= 400 * 1.25, `${passed[0]} in the first second`);
  for (const each of passed.slice(1)) t.true(each <= 400 * 1.02 && each >= 400 * 0.95, `${each} in a later second`);
});

test('proxies that come later share what those before them hold', async (t) => {
  const rig = createSharesRig([limitOf({ maxAmount: 100 })]);
  const first = addProxy(rig);
  await run(rig, [first], [1], 3);
  const second = addProxy(rig);
  const passed = await run(rig, [first, second], [0, 20], 2);
  t.true(sum(passed) >= 15 && sum(passed) <= 50, `${sum(passed)} of the half of 100`);
  await run(rig, [first, second], [20, 20], 20);
  t.true(first.passed + second.passed <= 103, `${first.passed + second.passed}`);
});

test('what a proxy has not used is for the others when it leaves', async (t) => {
  const rig = createSharesRig([limitOf({ maxAmount: 100 })]);
  const [leaving, staying] = [addProxy(rig), addProxy(rig)];
  await run(rig, [leaving, staying], [1, 1], 6);
  leaving.leave();
  t.is(rig.counts.proxies, 1);
  const passed = await run(rig, [staying], [30], 20);
  t.true(sum(passed) >= 80 && sum(passed) <= 92, `${sum(passed)} after the 12 before`);
});

test('a request is charged for all its quotas: the scarcest decides, and the others keep the rest', async (t) => {
  const rig = createSharesRig([limitOf({ name: 'many', maxAmount: 1000 }), limitOf({ name: 'few', maxAmount: 30 })]);
  const proxy = addProxy(rig, { charges: { many: 1, few: 7 } });
  await run(rig, [proxy], [10], 10);
  t.true(proxy.passed >= 4 && proxy.passed <= 5, `${proxy.passed} of 30 / 7`);
  const other = addProxy(rig, { charges: { many: 1 } });
  await run(rig, [other], [200], 10);
  t.true(other.passed > 900 && other.passed < 1005, `${other.passed}`);
});

test('each value of a dimension has a limit of its own, and overrides apply', async (t) => {
  const dimension = { text: 'request.headers[x-user]', attribute: 'request.headers', mapKey: 'x-user' };
  const overrides = [{ dimensions: new Map([[dimension.text, 'gold']]), maxAmount: 50, validDurationMs: 60_000 }];
  const rig = createSharesRig([limitOf({ maxAmount: 10, dimensions: [dimension], overrides })]);
  const proxies = ['plain', 'gold', 'other'].map((user) => addProxy(rig, { dimensions: { [dimension.text]: user } }));
  await run(rig, proxies, [30, 30, 30], 15);
  const passed = proxies.map((proxy) => proxy.passed);
  for (const [index, limit] of [10, 50, 10].entries()) {
    t.true(Math.abs((passed[index] ?? 0) - limit) <= 1, passed.join());
  }
});

test('a limit of 0 refuses all requests after the first, and a quota without a limit none', async (t) => {
  const rig = createSharesRig([limitOf({ maxAmount: 0 })]);
  const proxies = [addProxy(rig), addProxy(rig, { charges: { unknown: 1 } })];
  await run(rig, proxies, [5, 5], 6);
  t.deepEqual(
    proxies.map(({ passed }) => passed),
    [1, 30],
  );
  t.deepEqual([...new Set(rig.counts.unlimited)], ['unknown']);
});

test('changed limits hold from the next report on, and equal ones change nothing', async (t) => {
  const rig = createSharesRig([limitOf({ maxAmount: 10 })]);
  const proxy = addProxy(rig);
  await run(rig, [proxy], [10], 6);
  rig.shares.update([limitOf({ maxAmount: 10 })]);
  await run(rig, [proxy], [10], 6);
  t.true(proxy.passed <= 11, `${proxy.passed}`);
  rig.shares.update([limitOf({ maxAmount: 40 })]);
  await run(rig, [proxy], [10], 11);
  t.true(proxy.passed >= 38 && proxy.passed <= 42, `${proxy.passed}`);
});

test('servers that count in memory each have a part of the limit', async (t) => {
  const clock = createFakeClock();
  const rigs = [0, 1].map(() => createSharesRig([limitOf({ maxAmount: 100 })], { servers: 2, clock }));
  const proxies = rigs.map((rig) => addProxy(rig));
  const [rig] = rigs;
  if (rig === undefined) return t.fail();
  await run(rig, proxies, [30, 30], 12);
  t.true(sum(proxies.map(({ passed }) => passed)) <= 102);
});

test('servers that share a store share the limit', async (t) => {
  const clock = createFakeClock();
  const memory = createMemoryStore({ clock, maxCounters: 100 });
  const store = { ...memory, type: 'redis' as const, countServers: () => Promise.resolve(2) };
  const rigs = [0, 1].map(() => createSharesRig([limitOf({ maxAmount: 300 })], { store, clock }));
  const proxies = rigs.map((rig) => addProxy(rig));
  const [rig] = rigs;
  if (rig === undefined) return t.fail();
  await run(rig, proxies, [40, 5], 30);
  const passed = sum(proxies.map((proxy) => proxy.passed));
  t.true(passed >= 290 && passed <= 303, `${passed}`);
  t.true((proxies[0]?.passed ?? 0) > 180, 'the server of the busy proxy takes more');
});

test('buckets by key are forgotten after a minute without requests, and others are kept', async (t) => {
  const rig = createSharesRig([limitOf()]);
  const [keyed, plain] = [addProxy(rig, { dimensions: { 'request.api_key': 'k' } }), addProxy(rig)];
  await run(rig, [keyed, plain], [2, 2], 1);
  for (let reports = 0; reports < 14; reports++) {
    rig.clock.advance(5000);
    await keyed.report();
    await plain.report();
  }
  t.is(keyed.assignment, undefined);
  t.is(plain.assignment?.type, 'tokens');
  t.deepEqual(rig.counts.abandoned, ['idle']);
  t.is(rig.counts.buckets, 1);
});

test('a proxy has a bounded number of buckets: those that were used longest ago are forgotten', async (t) => {
  const rig = createSharesRig([limitOf()]);
  const abandoned: string[] = [];
  const proxy = rig.shares.open((action: BucketAction) => {
    if (action.type === 'abandon') abandoned.push(action.id['request.api_key'] ?? '');
  });
  const fixed = bucketIdOf({ type: 'quotas', service: 'web', charges: new Map([['requests', 1]]) });
  for (let key = 0; key < MAX_BUCKETS_PER_PROXY + 3; key++) {
    await proxy.report({ id: { ...fixed, 'request.api_key': `k${key}` }, allowed: 1, denied: 0 });
  }
  t.deepEqual(abandoned, ['k0', 'k1', 'k2']);
  t.is(rig.counts.buckets, MAX_BUCKETS_PER_PROXY);
  proxy.close();
  t.is(rig.counts.buckets, 0);
});

test('while the store fails, a proxy keeps what it has, and the guard of its fail policy gets no assignment', async (t) => {
  const clock = createFakeClock();
  let isUp = true;
  const memory = createMemoryStore({ clock, maxCounters: 100 });
  const store = {
    ...memory,
    isUp: () => isUp,
    reserve: (request: Parameters<typeof memory.reserve>[0]) => {
      if (!isUp) throw new Error('down');
      return memory.reserve(request);
    },
  };
  const rig = createSharesRig([limitOf({ maxAmount: 100 })], { store, clock });
  const actions: BucketAction[] = [];
  const proxy = rig.shares.open((action) => actions.push(action));
  const id = bucketIdOf({ type: 'quotas', service: 'web', charges: new Map([['requests', 1]]) });
  const guard = bucketIdOf({ type: 'guard', service: 'web' });
  for (const each of [id, guard]) await proxy.report({ id: each, allowed: 1, denied: 0 });
  t.is(actions.length, 2);
  isUp = false;
  clock.advance(5000);
  for (const each of [id, guard]) await proxy.report({ id: each, allowed: 5, denied: 0 });
  t.is(actions.length, 2);
  t.is(rig.counts.failed, 1);
});
