import type { QuotaWindow } from '../../../src/config/policy-server/policy-server-config.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import { chargeParameters, readChargeReply } from '../../../src/policy/quota/redis/charge-call.js';
import { CHARGE_SCRIPT } from '../../../src/policy/quota/redis/charge-script.js';
import { chargeOf, chargeStore } from '../../support/charge-store.js';
import { createFakeClock } from '../../support/fake-clock.js';
import fc from '../../support/property-testing.js';
import { openTestSession } from '../../support/redis-store.js';
import { redisTests } from '../../support/redis-tests.js';

// One after the other: they share the clock.
const { test, redisTestInTurn: redisTest } = redisTests();

/** The script with a clock of the test's own. Windows are hours long, so that Redis itself expires nothing meanwhile. */
const SCRIPT = CHARGE_SCRIPT.replace("redis.call('TIME')", "redis.call('HMGET', '{test}', 's', 'us')");
const HOUR = 3_600_000;

const charge = fc.record({
  quota: fc.nat({ max: 2 }),
  key: fc.nat({ max: 1 }),
  amount: fc.integer({ min: 1, max: 6 }),
  bestEffort: fc.boolean(),
  // Changes as if the configuration did.
  maxAmount: fc.oneof({ weight: 5, arbitrary: fc.constant(10) }, { weight: 1, arbitrary: fc.nat({ max: 15 }) }),
});

const history = fc.record({
  quotas: fc.array(
    fc.record({
      window: fc.constantFrom<QuotaWindow>('fixed', 'rolling', 'week', 'month'),
      durationMs: fc.constantFrom(HOUR, HOUR + 1, 7 * HOUR - 13),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  steps: fc.array(
    fc.record({
      waitMs: fc.oneof(fc.nat({ max: 30_000 }), fc.nat({ max: 2 * HOUR }), fc.nat({ max: 400 * 24 * HOUR })),
      charges: fc.uniqueArray(charge, { minLength: 1, maxLength: 3, selector: ({ quota }) => quota }),
    }),
    { minLength: 1, maxLength: 30 },
  ),
});

redisTest('random histories: the script answers exactly what the memory store does', async (t) => {
  const session = await openTestSession(t, t.context.redis);
  let runs = 0;
  const property = fc.asyncProperty(history, async ({ quotas, steps }) => {
    const run = runs++;
    const clock = createFakeClock();
    const store = createMemoryStore({ clock, maxCounters: 1000 });
    for (const { waitMs, charges } of steps) {
      clock.advance(waitMs);
      const nowMs = clock.now().getTime();
      const wanted = charges.map(({ quota, key, ...rest }) =>
        chargeOf({ group: `${run}/${quota}`, key: `${key}`, ...rest, ...quotas[quota] }),
      );
      const expected = await chargeStore(store, wanted);
      await session.command('HSET', '{test}', 's', Math.floor(nowMs / 1000), 'us', (nowMs % 1000) * 1000 + 999);
      const request = { charges: wanted, repetitionKey: undefined, timeoutMs: 0 };
      const reply = await session.command('EVAL', SCRIPT, ...chargeParameters(request, 'test'));
      const actual = readChargeReply(reply, wanted);
      t.deepEqual(actual, { results: expected.results, isRepetition: false });
    }
  });
  await fc.assert(property, { numRuns: 150 });
});

redisTest('when the clock of Redis goes back, amounts count longer and never shorter', async (t) => {
  const session = await openTestSession(t, t.context.redis);
  const at = async (ms: number, amount: number) => {
    await session.command('HSET', '{test}', 's', Math.floor(ms / 1000), 'us', (ms % 1000) * 1000);
    const charges = [chargeOf({ group: 'back', amount, durationMs: HOUR })];
    const parameters = chargeParameters({ charges, repetitionKey: undefined, timeoutMs: 0 }, 'test');
    return readChargeReply(await session.command('EVAL', SCRIPT, ...parameters), charges).results[0];
  };
  const start = 500_000 * HOUR;
  t.is((await at(start + 600_000, 6))?.granted, 6);
  t.is((await at(start, 4))?.granted, 4);
  t.like(await at(start, 1), { granted: 0, retryAfterMs: 600_000 + HOUR + 60_000 });
  t.is((await at(start + 600_000 + HOUR, 1))?.granted, 0);
  t.is((await at(start + 660_000 + HOUR, 10))?.granted, 10);
});

test('the script is one that has no clock of its own in it', (t) => {
  t.not(SCRIPT, CHARGE_SCRIPT);
  t.notRegex(SCRIPT, /TIME/);
});

for (const reply of [
  undefined,
  'OK',
  [0],
  [0, ''],
  [0, '1 1 60000'],
  [0, '1 1 60000 9 60000 -1 x'],
  [1, '1 1 1 1 1 1 1 1'],
]) {
  test(`a reply that the script never gives is an error, not a grant: ${JSON.stringify(reply)}`, (t) => {
    t.throws(() => readChargeReply(reply, [chargeOf()]), {
      name: 'PolicyTransportError',
      message: 'The reply of Redis is not a result of the script',
    });
  });
}
