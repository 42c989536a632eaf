import test from 'ava';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import type { QuotaResult } from '../../../src/policy/client/policy-transport.js';
import {
  type ChargeOutcome,
  createQuotaCache,
  createUncachedQuotas,
  type QuotaCache,
  type QuotaQuestion,
  type QuotaReply,
} from '../../../src/policy/client/quota-cache.js';
import { createFakeClock } from '../../support/fake-clock.js';

const key = (value: string) => bagOf(new Map([['request.api_key', stringAttribute(value)]]));
const BY_KEY = [{ name: 'request.api_key', condition: 'EXACT' }] as const;

function question(outcome: ChargeOutcome): QuotaQuestion | undefined {
  return outcome.type === 'unknown' ? outcome.question : undefined;
}

function grants(grantedAmount: number, fields: Partial<QuotaResult> = {}): QuotaResult {
  return { grantedAmount, referencedAttributes: BY_KEY, ...fields };
}

/** Charges once and answers, so that the cache knows what the quota depends on. */
function teach(cache: QuotaCache, quota: string, apiKey: string): void {
  question(cache.charge(quota, 1, key(apiKey)))?.answer(grants(1));
}

test('an uncached quota is asked for the exact amount, all or nothing', (t) => {
  const cache = createQuotaCache({ clock: createFakeClock(), failPolicy: 'FAIL_OPEN' });
  const asked = question(cache.charge('rate', 3, key('a')));
  t.is(asked?.amount, 3);
  t.false(asked?.bestEffort);
});

const REPLIES: readonly (readonly [string, QuotaReply, 'granted' | 'refused'])[] = [
  ['an amount above 0', grants(1), 'granted'],
  ['0', grants(0), 'refused'],
  ['0 with UNAVAILABLE', grants(0, { status: { code: 'UNAVAILABLE', message: '' } }), 'granted'],
  ['0 with another status', grants(0, { status: { code: 'INTERNAL', message: '' } }), 'refused'],
  ['-1', grants(-1), 'granted'],
  ['no answer', 'unreachable', 'granted'],
];

for (const [name, reply, expected] of REPLIES) {
  test(`an uncached quota that gets ${name} is ${expected}`, (t) => {
    for (const cache of [
      createQuotaCache({ clock: createFakeClock(), failPolicy: 'FAIL_OPEN' }),
      createUncachedQuotas('FAIL_OPEN'),
    ]) {
      t.is(question(cache.charge('rate', 1, key('a')))?.answer(reply).type, expected);
    }
  });
}

test('a quota is prefetched for requests with equal values once the server has named its attributes', (t) => {
  const cache = createQuotaCache({ clock: createFakeClock(), failPolicy: 'FAIL_OPEN' });
  teach(cache, 'rate', 'a');
  const outcome = cache.charge('rate', 1, key('a'));
  t.is(outcome.type, 'granted');
  t.like(outcome, { prefetch: { amount: 10, bestEffort: true } });
  t.is(cache.charge('rate', 1, key('b')).type, 'unknown');
  t.is(cache.charge('other', 1, key('a')).type, 'unknown');
});

test('units of one key are not charged by requests with another', (t) => {
  const cache = createQuotaCache({ clock: createFakeClock(), failPolicy: 'FAIL_OPEN' });
  for (const apiKey of ['a', 'b']) {
    teach(cache, 'rate', apiKey);
    const outcome = cache.charge('rate', 1, key(apiKey));
    if (outcome.type === 'granted') outcome.prefetch?.answer(grants(apiKey === 'a' ? 0 : 10));
  }
  t.is(cache.charge('rate', 1, key('a')).type, 'refused');
  t.is(cache.charge('rate', 1, key('b')).type, 'granted');
});

test('concurrent requests share the attributes that the first one learns', (t) => {
  const cache = createQuotaCache({ clock: createFakeClock(), failPolicy: 'FAIL_OPEN' });
  const [first, second] = [cache.charge('rate', 1, key('a')), cache.charge('rate', 1, key('a'))];
  question(first)?.answer(grants(1));
  const outcome = cache.charge('rate', 1, key('a'));
  if (outcome.type === 'granted') outcome.prefetch?.answer(grants(0));
  question(second)?.answer(grants(1));
  t.is(cache.charge('rate', 1, key('a')).type, 'refused');
});

test('an answer without the attributes of the quota is not cached', (t) => {
  const cache = createQuotaCache({ clock: createFakeClock(), failPolicy: 'FAIL_OPEN' });
  question(cache.charge('rate', 1, key('a')))?.answer({ grantedAmount: 1 });
  t.is(cache.charge('rate', 1, key('a')).type, 'unknown');
});

test('a closed quota that asks again waits for the answer', (t) => {
  const clock = createFakeClock();
  for (const [granted, expected] of [
    [10, 'granted'],
    [1, 'refused'],
  ] as const) {
    const cache = createQuotaCache({ clock, failPolicy: 'FAIL_OPEN' });
    teach(cache, 'rate', 'a');
    const lent = cache.charge('rate', 1, key('a'));
    if (lent.type === 'granted') lent.prefetch?.answer(grants(0));
    clock.advance(500);
    const asked = question(cache.charge('rate', 2, key('a')));
    t.true(asked?.bestEffort);
    t.is(asked?.answer(grants(granted)).type, expected);
  }
});

test('a quota that is idle for 600 s is forgotten, one in use is not', (t) => {
  const clock = createFakeClock();
  const cache = createQuotaCache({ clock, failPolicy: 'FAIL_OPEN' });
  teach(cache, 'rate', 'a');
  clock.advance(599_999);
  t.is(cache.charge('rate', 1, key('a')).type, 'granted');
  clock.advance(599_999);
  t.is(cache.charge('rate', 1, key('a')).type, 'granted');
  clock.advance(600_000);
  t.is(cache.charge('rate', 1, key('a')).type, 'unknown');
});

test('10,000 quotas are kept, the least recently used go first', (t) => {
  const cache = createQuotaCache({ clock: createFakeClock(), failPolicy: 'FAIL_OPEN' });
  for (let n = 0; n <= 10_000; n++) teach(cache, 'rate', `k${n}`);
  t.is(cache.charge('rate', 1, key('k0')).type, 'unknown');
  t.is(cache.charge('rate', 1, key('k1')).type, 'granted');
});

test('disableQuotaCache: the server is asked about every charge', (t) => {
  const cache = createUncachedQuotas('FAIL_OPEN');
  teach(cache, 'rate', 'a');
  t.like(question(cache.charge('rate', 2, key('a'))), { amount: 2, bestEffort: false });
});

test('a refusal has the wait, from the server and from the cache', (t) => {
  const clock = createFakeClock();
  const cache = createQuotaCache({ clock, failPolicy: 'FAIL_OPEN' });
  const refused: QuotaReply = { ...grants(0), retryAfterMs: 3000 };
  t.deepEqual(question(cache.charge('rate', 1, key('a')))?.answer(refused), { type: 'refused', retryAfterMs: 3000 });
  const lent = cache.charge('rate', 1, key('a'));
  if (lent.type !== 'granted') return t.fail('lends until it knows better');
  lent.prefetch?.answer(refused);
  clock.advance(100);
  t.deepEqual(cache.charge('rate', 1, key('a')), { type: 'refused', retryAfterMs: 2900 });
});
