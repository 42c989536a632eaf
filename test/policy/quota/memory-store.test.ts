import test from 'ava';
import { createCounterRooms } from '../../../src/policy/quota/memory/counter-room.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import type { ChargeResult } from '../../../src/policy/quota/quota-store.js';
import { type ChargeOptions, chargeOf, chargeStore, grantedBy } from '../../support/charge-store.js';
import { createFakeClock } from '../../support/fake-clock.js';

function setUp(options: { readonly maxCounters?: number; readonly maxRepetitions?: number } = {}) {
  const clock = createFakeClock();
  const store = createMemoryStore({ clock, maxCounters: 1000, ...options });
  const charge = async (options: ChargeOptions = {}): Promise<ChargeResult> => {
    const { results } = await chargeStore(store, [chargeOf(options)]);
    if (results[0] === undefined) throw new Error('no result');
    return results[0];
  };
  return { clock, store, charge };
}

test('it grants up to the limit, then refuses', async (t) => {
  const { store } = setUp();
  for (let n = 0; n < 10; n++) t.is(await grantedBy(store), 1);
  t.is(await grantedBy(store), 0);
  t.is(await grantedBy(store, { key: 'other' }), 1, 'keys are counted apart');
  t.is(await grantedBy(store, { group: 'other' }), 1, 'quotas are counted apart');
});

test('an amount that does not fit is refused as a whole, best effort takes what is left', async (t) => {
  const { charge } = setUp();
  t.like(await charge({ amount: 7 }), { granted: 7, isCharged: true });
  t.like(await charge({ amount: 4 }), { granted: 0, isCharged: false });
  t.like(await charge({ amount: 4, bestEffort: true }), { granted: 3, isCharged: true });
  t.like(await charge({ amount: 4, bestEffort: true }), { granted: 0, isCharged: false });
});

test('a limit of 0 refuses everything, without a wait', async (t) => {
  const { charge } = setUp();
  const nothing = { granted: 0, isCharged: false, validMs: 60_000 };
  t.like(await charge({ maxAmount: 0 }), { ...nothing, left: 0 });
  t.like(await charge({ maxAmount: 0, bestEffort: true }), { ...nothing, left: 0 });
  t.false('retryAfterMs' in (await charge({ maxAmount: 0 })));
});

test('an amount above the limit is refused without a wait', async (t) => {
  const { charge } = setUp();
  t.false('retryAfterMs' in (await charge({ amount: 11 })));
  t.like(await charge({ amount: Number.MAX_SAFE_INTEGER, maxAmount: Number.MAX_SAFE_INTEGER }), {
    granted: Number.MAX_SAFE_INTEGER,
  });
  t.like(await charge({ amount: 1, maxAmount: Number.MAX_SAFE_INTEGER }), { granted: 0 });
});

test('a fixed window begins at a multiple of its length since the epoch, and is full again in the next', async (t) => {
  const { clock, charge } = setUp();
  clock.advance(45_500);
  t.like(await charge({ window: 'fixed', amount: 10 }), { granted: 10, validMs: 14_500 });
  t.like(await charge({ window: 'fixed' }), { granted: 0, retryAfterMs: 14_500 });
  clock.advance(14_499);
  t.like(await charge({ window: 'fixed' }), { granted: 0, retryAfterMs: 1 });
  clock.advance(1);
  t.like(await charge({ window: 'fixed', amount: 10 }), { granted: 10, validMs: 60_000 });
});

test('a charge tells the amount that is left, and when an amount no longer counts', async (t) => {
  const { clock, store, charge } = setUp();
  clock.advance(45_500);
  t.like(await charge({ window: 'fixed', amount: 7 }), { left: 3, resetMs: 14_500 });
  t.like(await charge({ window: 'fixed', amount: 7 }), { granted: 0, left: 3, resetMs: 14_500 });
  t.like(await charge({ group: 'r', amount: 7 }), { left: 3, resetMs: 60_500 });
  clock.advance(30_000);
  t.like(await charge({ group: 'r', amount: 2 }), { left: 1, resetMs: 30_500 });
  const { results } = await chargeStore(store, [chargeOf({ group: 'r' }), chargeOf({ amount: 11, key: 'other' })]);
  t.like(results, [{ isCharged: false, left: 1 }, { left: 10 }]);
});

test('a window of the calendar ends with its week or month', async (t) => {
  const { clock, charge } = setUp();
  clock.advance(Date.parse('2028-02-29T23:00:00Z') - clock.now().getTime());
  t.like(await charge({ window: 'month', amount: 10 }), { granted: 10, validMs: 3_600_000, resetMs: 3_600_000 });
  t.like(await charge({ window: 'month' }), { granted: 0, retryAfterMs: 3_600_000 });
  t.like(await charge({ window: 'week', group: 'w' }), { left: 9, resetMs: 5 * 86_400_000 + 3_600_000 });
  clock.advance(3_600_000);
  t.like(await charge({ window: 'month', amount: 10 }), { granted: 10, resetMs: 31 * 86_400_000 });
});

test('a rolling window of a minute frees an amount a minute later, rounded up to the second', async (t) => {
  const { clock, charge } = setUp();
  clock.advance(1400);
  t.is((await charge({ amount: 10 })).granted, 10);
  t.is((await charge()).retryAfterMs, 60_600);
  clock.advance(60_599);
  t.like(await charge(), { granted: 0, retryAfterMs: 1 });
  clock.advance(1);
  t.is((await charge({ amount: 10 })).granted, 10);
});

test('the wait ends when enough units are free, not at the first unit', async (t) => {
  const { clock, charge } = setUp();
  for (let second = 0; second < 10; second++) {
    await charge();
    clock.advance(1000);
  }
  t.is((await charge({ amount: 1 })).retryAfterMs, 51_000);
  t.is((await charge({ amount: 4 })).retryAfterMs, 54_000);
  t.is((await charge({ amount: 4, bestEffort: true })).retryAfterMs, 51_000, 'one is of use already');
  clock.advance(53_999);
  t.is((await charge({ amount: 4 })).granted, 0);
  clock.advance(1);
  t.is((await charge({ amount: 4 })).granted, 4);
});

test('best effort that takes the rest gets the wait for the first released units', async (t) => {
  const { clock, charge } = setUp();
  await charge({ amount: 4 });
  clock.advance(20_000);
  t.like(await charge({ amount: 8, bestEffort: true }), { granted: 6, retryAfterMs: 41_000 });
});

test('best effort that takes the last units gets the wait for more', async (t) => {
  const { charge } = setUp();
  t.like(await charge({ amount: 15, bestEffort: true }), { granted: 10, retryAfterMs: 61_000 });
});

for (const durationMs of [1, 2, 7, 59, 60, 61, 1000, 86_400_000, 31_622_400_000]) {
  test(`a rolling window of ${durationMs} ms keeps amounts at least that long, and a sixtieth and 1 ms longer at most`, async (t) => {
    const { clock, charge } = setUp();
    clock.advance(durationMs / 7);
    await charge({ amount: 10, durationMs });
    const { retryAfterMs = 0 } = await charge({ durationMs });
    t.true(retryAfterMs >= durationMs, `${retryAfterMs}`);
    t.true(retryAfterMs <= durationMs + Math.max(durationMs / 60, 1) + 1, `${retryAfterMs}`);
    clock.advance(durationMs - 1);
    t.is((await charge({ durationMs })).granted, 0);
    clock.advance(retryAfterMs - (durationMs - 1));
    t.is((await charge({ durationMs, amount: 10 })).granted, 10);
  });
}

test('all quotas of a request are charged, or none', async (t) => {
  const { store, charge } = setUp();
  await charge({ group: 'b', amount: 10 });
  const { results } = await chargeStore(store, [chargeOf({ group: 'a', amount: 10 }), chargeOf({ group: 'b' })]);
  t.like(results[0], { granted: 10, isCharged: false });
  t.false('retryAfterMs' in (results[0] ?? {}), 'it does not refuse');
  t.like(results[1], { granted: 0, isCharged: false, retryAfterMs: 61_000 });
  t.is((await charge({ group: 'a', amount: 10 })).granted, 10, 'nothing was taken');
});

test('best effort stands for itself: it hinders no other charge and is not hindered', async (t) => {
  const { store, charge } = setUp();
  await charge({ group: 'full', amount: 10 });
  const first = await chargeStore(store, [
    chargeOf({ group: 'full', bestEffort: true }),
    chargeOf({ group: 'a', amount: 4 }),
  ]);
  t.like(first.results, [{ granted: 0 }, { granted: 4, isCharged: true }]);
  const second = await chargeStore(store, [
    chargeOf({ group: 'a', amount: 9, bestEffort: true }),
    chargeOf({ group: 'full' }),
  ]);
  t.like(second.results, [
    { granted: 6, isCharged: true },
    { granted: 0, isCharged: false },
  ]);
});

test('a changed limit applies at once to the counted amounts', async (t) => {
  const { charge } = setUp();
  await charge({ amount: 10 });
  t.is((await charge({ maxAmount: 12, amount: 3 })).granted, 0);
  t.is((await charge({ maxAmount: 12, amount: 2 })).granted, 2);
  t.like(await charge({ maxAmount: 5 }), { granted: 0, retryAfterMs: 61_000 });
  t.is((await charge({ maxAmount: 5, bestEffort: true })).granted, 0);
});

test('a repeated request is answered as before and charged once, for 60 s', async (t) => {
  const { clock, store } = setUp();
  const repeat = () => chargeStore(store, [chargeOf({ amount: 6 })], 'request-7');
  const first = await repeat();
  t.false(first.isRepetition);
  clock.advance(59_999);
  const second = await repeat();
  t.deepEqual(second, { results: first.results, isRepetition: true });
  clock.advance(1);
  t.like(await repeat(), { isRepetition: false, results: [{ granted: 0 }] });
  t.is(await grantedBy(store, { amount: 4 }), 4);
});

test('a refused request that is repeated is decided anew: nothing was charged', async (t) => {
  const { clock, store } = setUp();
  await chargeStore(store, [chargeOf({ amount: 10 })]);
  t.is((await chargeStore(store, [chargeOf()], 'request-7')).results[0]?.granted, 0);
  clock.advance(61_000);
  t.like(await chargeStore(store, [chargeOf()], 'request-7'), { isRepetition: false, results: [{ granted: 1 }] });
});

test('a request is known for 60 s whenever others come', async (t) => {
  const { clock, store } = setUp();
  const request = (name: string) => chargeStore(store, [chargeOf({ maxAmount: 1000 })], name);
  clock.advance(50_000);
  await request('a');
  clock.advance(20_000);
  await request('b');
  clock.advance(39_999);
  t.true((await request('a')).isRepetition);
  clock.advance(1);
  t.false((await request('a')).isRepetition);
  t.true((await request('b')).isRepetition);
});

test('repetitions that are remembered are bounded: one that is forgotten is charged again', async (t) => {
  const { store } = setUp({ maxRepetitions: 10 });
  const request = (name: string) => chargeStore(store, [chargeOf({ maxAmount: 1000 })], name);
  await request('first');
  for (let n = 0; n < 4; n++) await request(`n${n}`);
  t.true((await request('first')).isRepetition, 'the last five are known for certain');
  for (let n = 4; n < 14; n++) await request(`n${n}`);
  t.false((await request('first')).isRepetition);
});

test('beyond the bound, a new key evicts the counter that was used least recently', async (t) => {
  const { charge } = setUp({ maxCounters: 2 });
  await charge({ key: 'a', amount: 9 });
  await charge({ key: 'b', amount: 9 });
  t.like(await charge({ key: 'c', amount: 9 }), { granted: 9, isCharged: true, left: 1, evicted: 1 });
  t.like(await charge({ key: 'b', amount: 2 }), { granted: 0 }, 'b is counted still');
  t.like(await charge({ key: 'a', amount: 10 }), { granted: 10, evicted: 1 }, 'a begins again');
  t.like(await charge({ key: 'b', amount: 2 }), { granted: 0 }, 'c was evicted: b was asked for later');
});

test('a flood of invented keys evicts no counter of a key that is in use, whose limit stays exact', async (t) => {
  const { charge } = setUp({ maxCounters: 100 });
  const limit = 200;
  let granted = 0;
  for (let n = 0; n < 100_000; n++) {
    if (n % 50 === 0) granted += (await charge({ key: 'legitimate', maxAmount: limit })).granted;
    t.is((await charge({ key: `invented-${n}` })).granted, 1, 'a new key is always served');
  }
  t.is(granted, limit);
});

test('a million invented keys beside one that is in use: its limit stays exact, and memory bounded', async (t) => {
  const { charge } = setUp({ maxCounters: 100_000 });
  const limit = 5000;
  let granted = 0;
  let refused = 0;
  for (let n = 0; n < 1_000_000; n++) {
    if (n % 100 === 0) granted += (await charge({ key: 'legitimate', maxAmount: limit })).granted;
    refused += (await charge({ key: `invented-${n}` })).granted === 1 ? 0 : 1;
  }
  t.is(granted, limit);
  t.is(refused, 0);
});

test('a key at its limit whose requests are refused counts as used', async (t) => {
  const { charge } = setUp({ maxCounters: 10 });
  await charge({ key: 'greedy', amount: 10 });
  for (let n = 0; n < 1000; n++) {
    await charge({ key: `k${n}` });
    if (n % 5 === 0) t.is((await charge({ key: 'greedy' })).granted, 0);
  }
});

test('a key that was used again outlasts any number of keys that were used once', async (t) => {
  const { charge } = setUp({ maxCounters: 10 });
  await charge({ key: 'proven', amount: 5 });
  await charge({ key: 'proven', amount: 5 });
  for (let n = 0; n < 1000; n++) await charge({ key: `k${n}` });
  t.is((await charge({ key: 'proven' })).granted, 0);
});

test('of keys that were all used again, the one that was not used for longest is evicted', async (t) => {
  const { charge } = setUp({ maxCounters: 10 });
  for (let n = 0; n < 30; n++) {
    await charge({ key: `k${n}` });
    await charge({ key: `k${n}` });
  }
  t.is((await charge({ key: 'k29', amount: 9 })).granted, 0);
  t.is((await charge({ key: 'k0', amount: 9 })).granted, 9);
});

test('expired counters make room before any counter that still counts', async (t) => {
  const { clock, charge } = setUp({ maxCounters: 3 });
  for (const key of ['a', 'b', 'c']) await charge({ key, window: 'fixed' });
  clock.advance(60_000);
  for (const key of ['d', 'e', 'f']) t.false('evicted' in (await charge({ key, window: 'fixed' })), key);
  t.like(await charge({ key: 'g', window: 'fixed' }), { evicted: 1 });
});

test('expired counters of keys that were used again make room too', async (t) => {
  const { clock, charge } = setUp({ maxCounters: 10 });
  for (let n = 0; n < 8; n++) {
    await charge({ key: `k${n}` });
    await charge({ key: `k${n}` });
  }
  clock.advance(61_000);
  for (let n = 0; n < 10; n++) t.false('evicted' in (await charge({ key: `new${n}` })), `${n}`);
});

test('a key that is refused takes no memory', async (t) => {
  const { charge } = setUp({ maxCounters: 1 });
  for (let n = 0; n < 10; n++) t.is((await charge({ key: `k${n}`, amount: 11 })).granted, 0);
  t.false('evicted' in (await charge({ key: 'a' })));
});

test('counters of groups that are kept stay, others are forgotten', async (t) => {
  const { store } = setUp();
  await grantedBy(store, { group: 'kept', amount: 10 });
  await grantedBy(store, { group: 'gone', amount: 10 });
  store.keepOnly(new Set(['kept', 'new']));
  t.is(await grantedBy(store, { group: 'kept' }), 0);
  t.is(await grantedBy(store, { group: 'gone' }), 1);
});

test('stores with common room evict counters of their own, and give the room back when they close', async (t) => {
  const clock = createFakeClock();
  const rooms = createCounterRooms({ namespace: 3, all: 4 });
  const open = (namespace: string) => createMemoryStore({ clock, maxCounters: 100, room: rooms.of(namespace) });
  const counters = ({ use }: ReturnType<typeof open>) =>
    Promise.resolve(use({ group: 'q' } as never, 9)).then((all) => all.counters);
  const charge = async (store: ReturnType<typeof open>, keys: number) => {
    for (let key = 0; key < keys; key++) t.is(await grantedBy(store, { key: `${key}`, group: 'q' }), 1);
  };
  const [first, second, other] = [open('shop'), open('shop'), open('bank')];
  await charge(first, 9);
  t.is(await counters(first), 4, 'the first counter of a quota needs no room');
  await charge(second, 9);
  t.is(await counters(second), 1);
  t.is(await counters(first), 4, 'a store evicts no counters of others');
  await charge(other, 9);
  t.is(await counters(other), 2);
  await first.close();
  await charge(second, 9);
  t.is(await counters(second), 4);
});
