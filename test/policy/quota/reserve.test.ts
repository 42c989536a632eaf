import type { QuotaWindow } from '../../../src/config/policy-server/policy-server-config.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import type { QuotaStore, ReserveResult } from '../../../src/policy/quota/quota-store.js';
import { RESERVE_SCRIPT, readReserveReply, reserveParameters } from '../../../src/policy/quota/redis/reserve-call.js';
import { chargeOf, grantedBy } from '../../support/charge-store.js';
import { createFakeClock } from '../../support/fake-clock.js';
import fc from '../../support/property-testing.js';
import { openTestSession } from '../../support/redis-store.js';
import { redisTests } from '../../support/redis-tests.js';

const { test, redisTestInTurn: redisTest } = redisTests();

function setUp() {
  const clock = createFakeClock();
  const store = createMemoryStore({ clock, maxCounters: 1000 });
  return { clock, store };
}

/** Of a counter that lets 10 through in a rolling minute. Gives back what was reserved in the bucket. */
async function reserve(store: QuotaStore, wanted: number, returned = 0, returnedFrom = 0): Promise<ReserveResult> {
  const { counter, maxAmount } = chargeOf();
  return store.reserve({ counter, maxAmount, wanted, returned, returnedFrom });
}

test('a reservation counts as used until it is given back', async (t) => {
  const { store } = setUp();
  t.like(await reserve(store, 7), { granted: 7, left: 3 });
  t.is(await grantedBy(store, { amount: 4 }), 0);
  t.like(await reserve(store, 0, 5), { granted: 0, left: 8 });
  t.is(await grantedBy(store, { amount: 4 }), 4);
});

test('a reservation takes what is left, and says when an amount counts no more', async (t) => {
  const { clock, store } = setUp();
  await reserve(store, 4);
  clock.advance(10_000);
  const { granted, left, releaseMs = 0 } = await reserve(store, 9);
  t.deepEqual([granted, left], [6, 0]);
  clock.advance(releaseMs - 1);
  t.is((await reserve(store, 9)).granted, 0);
  clock.advance(1);
  t.is((await reserve(store, 9)).granted, 4);
});

test('what is given back can be reserved in the same step', async (t) => {
  const { store } = setUp();
  await reserve(store, 10);
  t.like(await reserve(store, 6, 4), { granted: 4, left: 0, releaseMs: 61_000 });
});

test('what is given back is taken from its own reservation, not from an earlier one', async (t) => {
  const { clock, store } = setUp();
  await reserve(store, 4);
  clock.advance(30_000);
  const { bucket } = await reserve(store, 6);
  await reserve(store, 0, 6, bucket);
  clock.advance(31_000);
  t.like(await reserve(store, 10), { granted: 10 }, 'nothing but the first reservation was left, and is over');
});

test('no more is given back than was reserved', async (t) => {
  const { store } = setUp();
  await reserve(store, 2);
  t.like(await reserve(store, 0, 100), { granted: 0, left: 10 });
  t.is((await reserve(store, 11)).granted, 10);
});

/** The script with a clock of the test's own. Windows are hours long, so that Redis itself expires nothing meanwhile. */
const SCRIPT = RESERVE_SCRIPT.replace("redis.call('TIME')", "redis.call('HMGET', '{test}', 's', 'us')");
const HOUR = 3_600_000;

const history = fc.record({
  window: fc.constantFrom<QuotaWindow>('fixed', 'rolling', 'week', 'month'),
  durationMs: fc.constantFrom(HOUR, HOUR + 1, 7 * HOUR - 13),
  steps: fc.array(
    fc.record({
      waitMs: fc.oneof(fc.nat({ max: 30_000 }), fc.nat({ max: 2 * HOUR }), fc.nat({ max: 400 * HOUR })),
      wanted: fc.nat({ max: 6 }),
      returned: fc.nat({ max: 6 }),
      // Of an earlier step.
      since: fc.nat({ max: 5 }),
      maxAmount: fc.oneof({ weight: 5, arbitrary: fc.constant(10) }, { weight: 1, arbitrary: fc.nat({ max: 15 }) }),
    }),
    { minLength: 1, maxLength: 30 },
  ),
});

redisTest('random histories: Redis reserves exactly what the memory store does', async (t) => {
  const session = await openTestSession(t, t.context.redis);
  let runs = 0;
  const property = fc.asyncProperty(history, async ({ window, durationMs, steps }) => {
    const { clock, store } = setUp();
    const group = `${runs++}`;
    const buckets: number[] = [];
    for (const { waitMs, since, ...amounts } of steps) {
      clock.advance(waitMs);
      const nowMs = clock.now().getTime();
      const { counter } = chargeOf({ group, window, durationMs });
      const request = { ...amounts, counter, returnedFrom: buckets.at(-1 - since) ?? 0 };
      await session.command('HSET', '{test}', 's', Math.floor(nowMs / 1000), 'us', (nowMs % 1000) * 1000 + 999);
      const reply = await session.command('EVAL', SCRIPT, ...reserveParameters(request, 'test'));
      const result = await store.reserve(request);
      t.deepEqual(readReserveReply(reply), result);
      buckets.push(result.bucket);
    }
  });
  await fc.assert(property, { numRuns: 150 });
  t.notRegex(SCRIPT, /TIME/);
});

for (const reply of [undefined, 'OK', '', '1 2 3', '1 2 3 x', [1, 2, 3]]) {
  test(`a reply that the script never gives is an error, not a reservation: ${JSON.stringify(reply)}`, (t) => {
    t.throws(() => readReserveReply(reply), { name: 'PolicyTransportError' });
  });
}
