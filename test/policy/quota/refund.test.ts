import type { ExecutionContext } from 'ava';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import type { QuotaStore, RefundCharge } from '../../../src/policy/quota/quota-store.js';
import { type ChargeOptions, chargeOf, chargeStore, grantedBy } from '../../support/charge-store.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { openTestStore } from '../../support/redis-store.js';
import { type RedisContext, redisTests } from '../../support/redis-tests.js';

const { test, redisTest } = redisTests();

type OpenStore = (t: ExecutionContext<RedisContext>) => QuotaStore;

const STORES: readonly (readonly [string, typeof test | typeof test.skip, OpenStore])[] = [
  ['memory', test, () => createMemoryStore({ clock: createFakeClock(), maxCounters: 100 })],
  ['Redis', redisTest, (t) => openTestStore(t, t.context.redis).store],
];

const DAY: ChargeOptions = { window: 'fixed', durationMs: 86_400_000, isRefundable: true };

/** Charges, and returns what can be given back. */
async function charge(store: QuotaStore, options: ChargeOptions = DAY): Promise<RefundCharge> {
  const wanted = chargeOf(options);
  const { results } = await chargeStore(store, [wanted]);
  const { ref = '' } = results[0] ?? {};
  return { ref, amount: wanted.amount, maxAmount: wanted.maxAmount, shape: wanted.counter.shape };
}

for (const [name, storeTest, open] of STORES) {
  storeTest(`${name}: an amount is given back once, to its counter alone`, async (t) => {
    const store = open(t);
    const given = await charge(store, { ...DAY, amount: 6 });
    await charge(store, { ...DAY, key: 'other', amount: 10 });
    t.is(await store.refund({ id: 'request', charges: [given] }), 'refunded');
    t.is(await store.refund({ id: 'request', charges: [given] }), 'used');
    t.is(await grantedBy(store, { ...DAY, amount: 10 }), 10);
    t.is(await grantedBy(store, { ...DAY, key: 'other' }), 0);
  });

  storeTest(`${name}: a counter gives back at most its limit in a window`, async (t) => {
    const store = open(t);
    for (let n = 0; n < 12; n++) {
      const given = await charge(store);
      const outcome = await store.refund({ id: `request-${n}`, charges: [given] });
      t.is(outcome, n < 10 ? 'refunded' : 'limited');
    }
    t.is(await grantedBy(store, { ...DAY, amount: 9 }), 0);
    t.is(await grantedBy(store, { ...DAY, amount: 8 }), 8);
  });

  storeTest(`${name}: amounts of several counters are given back together`, async (t) => {
    const store = open(t);
    const charges = [
      await charge(store, { ...DAY, amount: 4 }),
      await charge(store, { ...DAY, group: 'h', amount: 3 }),
    ];
    t.is(await store.refund({ id: 'request', charges }), 'refunded');
    t.is(await grantedBy(store, { ...DAY, amount: 10 }), 10);
    t.is(await grantedBy(store, { ...DAY, group: 'h', amount: 10 }), 10);
  });

  storeTest(`${name}: an amount of an earlier window is not given back`, async (t) => {
    const store = open(t);
    const given = await charge(store);
    const [counter, bucket] = given.ref.split(/(?<=[/:])(?=\d+$)/);
    const earlier = { ...given, ref: `${counter}${Number(bucket) - 1}` };
    t.is(await store.refund({ id: 'request', charges: [earlier] }), 'expired');
    t.is(await grantedBy(store, { ...DAY, amount: 10 }), 0);
  });

  storeTest(`${name}: the secret of tickets stays the same, and only refundable charges have a name`, async (t) => {
    const store = open(t);
    t.is(await store.refundSecret(), await store.refundSecret());
    t.true((await store.refundSecret()).length >= 43);
    t.is((await charge(store, { ...DAY, isRefundable: false })).ref, '');
  });
}

redisTest('servers that share a Redis share the secret of tickets', async (t) => {
  const first = openTestStore(t, t.context.redis);
  const second = openTestStore(t, t.context.redis, { keyPrefix: first.keyPrefix });
  const other = openTestStore(t, t.context.redis);
  t.is(await first.store.refundSecret(), await second.store.refundSecret());
  t.not(await first.store.refundSecret(), await other.store.refundSecret());
  const given = await charge(first.store);
  t.is(await second.store.refund({ id: 'request', charges: [given] }), 'refunded');
  t.is(await first.store.refund({ id: 'request', charges: [given] }), 'used');
});

test('memory: a refund in a rolling window frees the amount at once, and a dropped group gives nothing back', async (t) => {
  const clock = createFakeClock();
  const store = createMemoryStore({ clock, maxCounters: 100 });
  const rolling: ChargeOptions = { isRefundable: true, amount: 5 };
  const first = await charge(store, rolling);
  clock.advance(30_000);
  await charge(store, rolling);
  t.is(store.refund({ id: 'first', charges: [first] }), 'refunded');
  t.is(await grantedBy(store, { amount: 5 }), 5);
  const last = await charge(store, { ...rolling, key: 'k' });
  store.keepOnly(new Set());
  t.is(store.refund({ id: 'last', charges: [last] }), 'expired');
});

test('memory: a refund is refused while no mark is free, because it could be repeated', async (t) => {
  const clock = createFakeClock();
  const store = createMemoryStore({ clock, maxCounters: 100, maxRepetitions: 2 });
  for (const id of ['a', 'b']) t.is(store.refund({ id, charges: [await charge(store)] }), 'refunded');
  const given = await charge(store);
  t.is(store.refund({ id: 'c', charges: [given] }), 'used');
  clock.advance(300_000);
  t.is(store.refund({ id: 'c', charges: [given] }), 'refunded');
});
