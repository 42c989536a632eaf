import test from 'ava';
import { createQuotaPrefetch, type QuotaFetch, type QuotaTake } from '../../../src/policy/client/quota-prefetch.js';
import { createFakeClock } from '../../support/fake-clock.js';
import fc from '../../support/property-testing.js';

function setUp() {
  const clock = createFakeClock();
  return { clock, prefetch: createQuotaPrefetch(clock) };
}

function fetchOf(take: QuotaTake): QuotaFetch | undefined {
  return take.type === 'refused' ? undefined : take.fetch;
}

function grant(take: QuotaTake, amount: number, validMs?: number): void {
  fetchOf(take)?.settle({ type: 'granted', amount, validMs });
}

/** Takes one at a time while it is let through without asking. */
function countTakes(prefetch: ReturnType<typeof createQuotaPrefetch>, most: number): number {
  let count = 0;
  while (count < most && prefetch.takeAvailable(1) !== undefined) count++;
  return count;
}

test('open with nothing available, it lends from what it asks for, at least 10', (t) => {
  const { prefetch } = setUp();
  const take = prefetch.take(1);
  t.is(take.type, 'taken');
  t.is(fetchOf(take)?.amount, 10);
  t.is(countTakes(prefetch, 100), 9);
});

test('it asks for what was charged during the last 1000 ms when that is more than 10', (t) => {
  const { clock, prefetch } = setUp();
  for (let n = 0; n < 25; n++) grant(prefetch.take(1), 1000);
  countTakes(prefetch, 1000);
  t.is(fetchOf(prefetch.take(1))?.amount, 25);
  countTakes(prefetch, 1000);
  clock.advance(999);
  t.is(fetchOf(prefetch.take(1))?.amount, 26);
  countTakes(prefetch, 1000);
  clock.advance(1000);
  t.is(fetchOf(prefetch.take(1))?.amount, 10);
});

test('it asks for the amount itself when that is more than is desired', (t) => {
  const { prefetch } = setUp();
  const take = prefetch.take(40);
  t.is(take.type, 'taken');
  t.is(fetchOf(take)?.amount, 40);
});

test('it asks for more when less than half of what is desired is available and nothing is in flight', (t) => {
  const { prefetch } = setUp();
  const first = prefetch.take(1);
  for (let n = 0; n < 5; n++) t.is(fetchOf(prefetch.take(1)), undefined);
  t.is(fetchOf(prefetch.take(1)), undefined, 'one is in flight');
  grant(first, 10);
  t.is(fetchOf(prefetch.take(1))?.amount, 10);
});

test('units that are requested ahead are not lent', (t) => {
  const { prefetch } = setUp();
  grant(prefetch.take(6), 10);
  const ahead = prefetch.take(1);
  t.is(fetchOf(ahead)?.amount, 10);
  t.is(countTakes(prefetch, 100), 3);
  grant(ahead, 10);
  t.is(countTakes(prefetch, 100), 10);
});

test('open with less available than the amount, it asks even while a call is in flight', (t) => {
  const { prefetch } = setUp();
  prefetch.take(8);
  const take = prefetch.take(5);
  t.is(take.type, 'taken');
  t.is(fetchOf(take)?.amount, 10);
});

test('after a partial grant it is closed: loans without a grant are taken back, and it does not ask for 500 ms', (t) => {
  const { clock, prefetch } = setUp();
  grant(prefetch.take(1), 3);
  t.is(countTakes(prefetch, 100), 2);
  t.is(prefetch.take(1).type, 'refused');
  clock.advance(499);
  t.is(prefetch.take(1).type, 'refused');
  clock.advance(1);
  t.is(prefetch.take(1).type, 'undecided');
});

test('closed, it does not lend and asks one question at a time', (t) => {
  const { clock, prefetch } = setUp();
  grant(prefetch.take(1), 0);
  clock.advance(500);
  const asking = prefetch.take(1);
  t.is(asking.type, 'undecided');
  t.is(prefetch.takeAvailable(1), undefined);
  t.is(prefetch.take(1).type, 'refused');
  grant(asking, 4);
  t.is(countTakes(prefetch, 100), 4);
  t.is(prefetch.take(1).type, 'refused');
});

test('a full grant opens it again', (t) => {
  const { clock, prefetch } = setUp();
  grant(prefetch.take(1), 0);
  clock.advance(500);
  grant(prefetch.take(1), 10);
  countTakes(prefetch, 100);
  t.is(prefetch.take(1).type, 'taken');
});

test('a network error counts as a full grant', (t) => {
  const { clock, prefetch } = setUp();
  fetchOf(prefetch.take(1))?.settle({ type: 'unreachable' });
  t.is(countTakes(prefetch, 100), 9);
  grant(prefetch.take(1), 0);
  clock.advance(500);
  const asking = prefetch.take(1);
  fetchOf(asking)?.settle({ type: 'unreachable' });
  t.is(countTakes(prefetch, 100), 10);
  t.is(prefetch.take(1).type, 'taken', 'it is open again');
});

test('under FAIL_CLOSE nothing is lent, a lost call grants nothing, and the next request asks again', (t) => {
  const prefetch = createQuotaPrefetch(createFakeClock(), false);
  for (let n = 0; n < 3; n++) {
    const asking = prefetch.take(1);
    t.is(asking.type, 'undecided', 'the request waits for the answer of the server');
    t.is(fetchOf(asking)?.amount, 10);
    fetchOf(asking)?.settle({ type: 'lost' });
    t.is(prefetch.takeAvailable(1), undefined);
  }
  const asking = prefetch.take(1);
  const another = prefetch.take(1);
  t.is(fetchOf(another)?.amount, 1, 'one call fetches ahead');
  grant(asking, 10);
  grant(another, 1);
  t.is(countTakes(prefetch, 100), 11);
  t.is(prefetch.take(1).type, 'undecided');
});

test('a skipped question takes back its loan and closes nothing', (t) => {
  const { prefetch } = setUp();
  fetchOf(prefetch.take(1))?.settle({ type: 'skipped' });
  t.is(countTakes(prefetch, 100), 0);
  t.is(prefetch.take(1).type, 'taken');
});

test('grants expire after their valid duration', (t) => {
  const { clock, prefetch } = setUp();
  grant(prefetch.take(1), 10, 2000);
  clock.advance(1999);
  t.truthy(prefetch.takeAvailable(8));
  clock.advance(1);
  t.is(prefetch.takeAvailable(1), undefined);
});

test('grants expire after 60 s at the latest', (t) => {
  for (const validMs of [undefined, 3_600_000]) {
    const { clock, prefetch } = setUp();
    grant(prefetch.take(1), 10, validMs);
    clock.advance(59_999);
    t.truthy(prefetch.takeAvailable(1));
    clock.advance(1);
    t.is(prefetch.takeAvailable(1), undefined);
  }
});

test('released units can be taken again until they expire', (t) => {
  const { clock, prefetch } = setUp();
  grant(prefetch.take(1), 10, 1000);
  const release = prefetch.takeAvailable(9);
  t.is(prefetch.takeAvailable(1), undefined);
  release?.();
  release?.();
  t.is(countTakes(prefetch, 9), 9);
  t.is(prefetch.takeAvailable(1), undefined, 'it is given back once');
  release?.();
  clock.advance(1000);
  t.is(prefetch.takeAvailable(1), undefined);
});

test('used loans without a grant are taken back from other grants', (t) => {
  const { prefetch } = setUp();
  const first = prefetch.take(8);
  const second = prefetch.take(5);
  grant(second, 10);
  grant(first, 0);
  t.is(countTakes(prefetch, 100), 0);
});

test('a grant counts as at most what was asked, and as nothing below 0', (t) => {
  const { prefetch } = setUp();
  grant(prefetch.take(1), 1_000_000);
  t.is(countTakes(prefetch, 100), 9);
  grant(prefetch.take(1), -7);
  t.is(countTakes(prefetch, 100), 0);
});

test('an answer is taken once', (t) => {
  const { prefetch } = setUp();
  grant(prefetch.take(6), 10);
  const ahead = prefetch.take(1);
  grant(ahead, 10);
  grant(ahead, 10);
  t.is(countTakes(prefetch, 100), 3 + 10);
});

/** Random traffic against a server with a budget, which answers in any order. */
type Step =
  | { readonly type: 'take'; readonly amount: number }
  | { readonly type: 'answer'; readonly pick: number; readonly most: number; readonly validMs: number }
  | { readonly type: 'lose'; readonly pick: number }
  | { readonly type: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('take' as const), amount: fc.integer({ min: 1, max: 15 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      pick: fc.nat(20),
      most: fc.integer({ min: 0, max: 40 }),
      validMs: fc.integer({ min: 0, max: 90_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lose' as const), pick: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.nat(3000) }) },
);

interface Outstanding {
  readonly fetch: QuotaFetch;
  readonly isLent: boolean;
  readonly waiting: number | undefined;
}

/** Plays the steps and returns what was let through, and the bound that the docs state for it. */
function play(
  steps: readonly Step[],
  isNeverPartial = false,
): { readonly passed: number; readonly bound: number; refused: number } {
  const { clock, prefetch } = setUp();
  const outstanding: Outstanding[] = [];
  let passed = 0;
  let refused = 0;
  let granted = 0;
  let notGranted = 0;
  const settle = (pick: number, reply: (asked: number) => number, validMs: number, isLost: boolean): void => {
    const [call] = outstanding.splice(pick % Math.max(outstanding.length, 1), 1);
    if (call === undefined) return;
    const amount = isLost ? call.fetch.amount : Math.min(reply(call.fetch.amount), call.fetch.amount);
    granted += amount;
    if (call.isLent) notGranted += call.fetch.amount - amount;
    call.fetch.settle(isLost ? { type: 'unreachable' } : { type: 'granted', amount, validMs });
    if (call.waiting === undefined) return;
    if (prefetch.takeAvailable(call.waiting)) passed += call.waiting;
    else refused++;
  };
  for (const next of steps) {
    if (next.type === 'take') {
      // Lent is what can be taken although it could not be before the fetch.
      const before = prefetch.takeAvailable(next.amount);
      before?.();
      const take = prefetch.take(next.amount);
      if (take.type === 'taken') passed += next.amount;
      if (take.type === 'refused') refused++;
      const fetch = fetchOf(take);
      if (fetch !== undefined) {
        const isLent = take.type === 'taken' && before === undefined;
        outstanding.push({ fetch, isLent, waiting: take.type === 'undecided' ? next.amount : undefined });
      }
    } else if (next.type === 'answer') {
      settle(next.pick, (asked) => (isNeverPartial ? asked : next.most), next.validMs, false);
    } else if (next.type === 'lose') settle(next.pick, () => 0, 0, true);
    else clock.advance(next.ms);
  }
  for (const { isLent, fetch } of outstanding) if (isLent) notGranted += fetch.amount;
  return { passed, bound: granted + notGranted, refused };
}

test('it never lets through more than the server granted plus what it lent and the server did not grant', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { passed, bound } = play(steps);
      return passed <= bound;
    }),
    { numRuns: 500 },
  );
  t.pass();
});

test('it refuses no request while the server grants everything', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => play(steps, true).refused === 0),
    { numRuns: 300 },
  );
  t.pass();
});

test('with a server that answers at once, no more than one lent amount is ever let through beyond its budget', (t) => {
  fc.assert(
    fc.property(
      fc.nat(200),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(400)), { maxLength: 300 }),
      (budget, traffic) => {
        const { clock, prefetch } = setUp();
        let left = budget;
        let passed = 0;
        let largest = 0;
        for (const [amount, pauseMs] of traffic) {
          clock.advance(pauseMs);
          const take = prefetch.take(amount);
          if (take.type === 'taken') passed += amount;
          const fetch = fetchOf(take);
          if (fetch === undefined) continue;
          largest = Math.max(largest, fetch.amount);
          const granted = Math.min(left, fetch.amount);
          left -= granted;
          fetch.settle({ type: 'granted', amount: granted });
          if (take.type === 'undecided' && prefetch.takeAvailable(amount)) passed += amount;
        }
        return passed <= budget + largest;
      },
    ),
    { numRuns: 300 },
  );
  t.pass();
});

test('after a partial grant it returns the rest of the wait of the server', (t) => {
  const { clock, prefetch } = setUp();
  t.is(prefetch.retryAfterMs(), undefined);
  fetchOf(prefetch.take(1))?.settle({ type: 'granted', amount: 0, retryAfterMs: 2000 });
  t.is(prefetch.retryAfterMs(), 2000);
  clock.advance(1500);
  t.is(prefetch.retryAfterMs(), 500);
  clock.advance(500);
  t.is(prefetch.retryAfterMs(), undefined, 'the wait is over');
});

test('a later grant ends the wait that an earlier one asked for', (t) => {
  const { clock, prefetch } = setUp();
  fetchOf(prefetch.take(1))?.settle({ type: 'granted', amount: 0, retryAfterMs: 60_000 });
  clock.advance(500);
  const later = fetchOf(prefetch.take(1));
  t.truthy(later);
  later?.settle({ type: 'granted', amount: later.amount });
  t.is(prefetch.retryAfterMs(), undefined);
});
