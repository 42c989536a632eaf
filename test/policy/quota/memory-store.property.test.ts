import test from 'ava';
import type { QuotaWindow } from '../../../src/config/policy-server/policy-server-config.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import type { CounterCharge } from '../../../src/policy/quota/quota-store.js';
import { chargeOf, chargeStore } from '../../support/charge-store.js';
import { createFakeClock } from '../../support/fake-clock.js';
import fc from '../../support/property-testing.js';

interface Quota {
  readonly window: QuotaWindow;
  readonly durationMs: number;
  readonly maxAmount: number;
}

interface Charge {
  readonly quota: number;
  readonly key: number;
  readonly amount: number;
  readonly bestEffort: boolean;
}

interface Step {
  readonly waitMs: number;
  readonly charges: readonly Charge[];
  /** Repeats an earlier request that was charged, counted back, instead. */
  readonly repeats: number | undefined;
}

/** What was really taken, for the model to look back at. */
interface Taken {
  readonly quota: number;
  readonly key: number;
  readonly amount: number;
  readonly atMs: number;
}

const quota = fc.record({
  window: fc.constantFrom<QuotaWindow>('fixed', 'rolling'),
  durationMs: fc.constantFrom(1, 7, 60, 61, 100, 1000, 3600),
  maxAmount: fc.integer({ min: 0, max: 12 }),
});

const charge = fc.record({
  quota: fc.nat({ max: 2 }),
  key: fc.nat({ max: 4 }),
  amount: fc.integer({ min: 1, max: 6 }),
  bestEffort: fc.boolean(),
});

const step = fc.record({
  waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 1500 })),
  charges: fc.uniqueArray(charge, { minLength: 1, maxLength: 3, selector: ({ quota }) => quota }),
  repeats: fc.option(fc.nat({ max: 5 }), { nil: undefined, freq: 4 }),
});

const history = fc.record({
  quotas: fc.tuple(quota, quota, quota),
  steps: fc.array(step, { minLength: 1, maxLength: 60 }),
  maxCounters: fc.constantFrom(1, 2, 100),
});

/** Units that count against the limit for certain, whatever the buckets: those taken within the window. */
function inWindow({ window, durationMs }: Quota, taken: readonly Taken[], nowMs: number, epochMs: number): number {
  const start =
    window === 'rolling' ? nowMs - durationMs : Math.floor((epochMs + nowMs) / durationMs) * durationMs - epochMs - 1;
  return taken.filter(({ atMs }) => atMs > start).reduce((sum, { amount }) => sum + amount, 0);
}

/** Units that may still count: up to a bucket more, but never longer. */
function mayCount(quota: Quota, taken: readonly Taken[], nowMs: number, epochMs: number): number {
  if (quota.window === 'fixed') return inWindow(quota, taken, nowMs, epochMs);
  const { durationMs } = quota;
  const longest = durationMs + Math.max(durationMs / 60, 1) + 1;
  return taken.filter(({ atMs }) => atMs > nowMs - longest).reduce((sum, { amount }) => sum + amount, 0);
}

async function play({
  quotas,
  steps,
  maxCounters,
}: {
  quotas: readonly Quota[];
  steps: readonly Step[];
  maxCounters: number;
}) {
  const clock = createFakeClock();
  const epochMs = clock.now().getTime();
  const store = createMemoryStore({ clock, maxCounters });
  const taken: Taken[] = [];
  const requests: { readonly name: string; readonly charges: readonly CounterCharge[]; readonly atMs: number }[] = [];
  const of = (quota: number, key: number): readonly Taken[] =>
    taken.filter((each) => each.quota === quota && each.key === key);

  for (const { waitMs, charges, repeats } of steps) {
    clock.advance(waitMs);
    const nowMs = clock.monotonicMs();
    const earlier = repeats === undefined ? undefined : requests.at(-1 - repeats);
    if (earlier !== undefined && nowMs - earlier.atMs < 60_000) {
      const { isRepetition } = await chargeStore(store, earlier.charges, earlier.name);
      if (!isRepetition) throw new Error('a repetition was charged');
      continue;
    }
    const counterCharges = charges.map(({ quota, key, amount, bestEffort }) => {
      const { window, durationMs, maxAmount } = quotas[quota] as Quota;
      return chargeOf({ group: `q${quota}`, key: `k${key}`, amount, bestEffort, maxAmount, window, durationMs });
    });
    const name = `r${requests.length}`;
    const { results } = await chargeStore(store, counterCharges, name);
    // Of a request that charged nothing nothing is known: repeating it decides anew.
    if (results.some(({ isCharged }) => isCharged)) requests.push({ name, charges: counterCharges, atMs: nowMs });

    const isRefused = charges.some(({ amount, bestEffort }, at) => !bestEffort && results[at]?.granted !== amount);
    for (const [at, { quota: index, key, amount, bestEffort }] of charges.entries()) {
      const limit = quotas[index] as Quota;
      const result = results[at];
      if (result === undefined) throw new Error('no result');
      const { granted, isCharged, retryAfterMs, validMs } = result;
      if (granted < 0 || granted > amount) throw new Error(`granted ${granted} of ${amount}`);
      if (!bestEffort && granted !== 0 && granted !== amount) throw new Error('a part of all or nothing');
      if (isCharged !== (granted > 0 && (bestEffort || !isRefused))) throw new Error('not all or nothing');
      if ((granted === amount) !== (retryAfterMs === undefined) && (bestEffort || amount <= limit.maxAmount)) {
        if (limit.maxAmount > 0) throw new Error(`retry after ${retryAfterMs}`);
      }
      if (retryAfterMs !== undefined && retryAfterMs <= 0) throw new Error('come back at once');
      if (validMs <= 0 || validMs > limit.durationMs) throw new Error(`valid for ${validMs}`);
      // Conservative: a bucket counts a little longer than its window.
      const most = Math.max(limit.maxAmount - mayCount(limit, of(index, key), nowMs, epochMs), 0);
      if (granted < (bestEffort ? Math.min(amount, most) : most >= amount ? amount : 0)) {
        throw new Error(`granted ${granted} of ${amount} where ${most} are left`);
      }
      // A counter that was evicted begins again: which one, the store does not tell.
      if (result.evicted) return;
      if (isCharged) taken.push({ quota: index, key, amount: granted, atMs: nowMs });
      if (inWindow(limit, of(index, key), nowMs, epochMs) > limit.maxAmount) throw new Error('more than the limit');
    }
  }
}

test('random histories: never more than the limit in any window, all or nothing, repetitions once', async (t) => {
  await t.notThrowsAsync(fc.assert(fc.asyncProperty(history, play), { numRuns: 2000 }));
});

test('random waits: a retry succeeds after the announced wait, and not a millisecond earlier', async (t) => {
  const waits = fc.array(fc.record({ waitMs: fc.nat({ max: 200 }), amount: fc.integer({ min: 1, max: 5 }) }), {
    maxLength: 30,
  });
  const property = fc.asyncProperty(quota, waits, fc.integer({ min: 1, max: 12 }), async (limit, steps, wanted) => {
    const clock = createFakeClock();
    const store = createMemoryStore({ clock, maxCounters: 10 });
    const charge = async (amount: number, maxAmount: number) =>
      (await chargeStore(store, [chargeOf({ ...limit, amount, maxAmount })])).results[0];
    for (const { waitMs, amount } of steps) {
      clock.advance(waitMs);
      await charge(amount, limit.maxAmount);
    }
    const result = await charge(wanted, limit.maxAmount);
    if (result?.granted === wanted) return;
    if (wanted > limit.maxAmount) return t.is(result?.retryAfterMs, undefined);
    const retryAfterMs = result?.retryAfterMs ?? 0;
    clock.advance(retryAfterMs - 1);
    t.is((await charge(wanted, limit.maxAmount))?.granted, 0);
    clock.advance(1);
    t.is((await charge(wanted, limit.maxAmount))?.granted, wanted);
  });
  await t.notThrowsAsync(fc.assert(property, { numRuns: 2000 }));
});
