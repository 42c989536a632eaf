import test from 'ava';
import { errorText } from '../../../src/base/error-text.js';
import { parseDimension } from '../../../src/config/policy-server/dimension.js';
import type { QuotaLimit } from '../../../src/config/policy-server/policy-server-config.js';
import { type AttributeBag, bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import type { QuotaCharge } from '../../../src/policy/client/compile-quota-specs.js';
import { createPolicyClient } from '../../../src/policy/client/policy-client.js';
import {
  type CheckResponse,
  PolicyTransportError,
  type QuotaParams,
} from '../../../src/policy/client/policy-transport.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import { createQuotaHandler } from '../../../src/policy/quota/quota-handler.js';
import type { ChargeResult, QuotaStore, StoreAnswer, StoreRequest } from '../../../src/policy/quota/quota-store.js';
import { createFakeClock } from '../../support/fake-clock.js';

const NEVER_ABORTED = new AbortController().signal;
const byKey = (apiKey?: string): AttributeBag =>
  bagOf(new Map(apiKey === undefined ? [] : [['request.api_key', stringAttribute(apiKey)]]));

function limitOf(name: string, fields: Partial<QuotaLimit> = {}): QuotaLimit {
  const own = {
    name,
    maxAmount: 10,
    validDurationMs: 60_000,
    window: 'rolling',
    dimensions: [],
    overrides: [],
  } as const;
  return { ...own, ...fields };
}

const API_KEY = [parseDimension('request.api_key') ?? { text: '', attribute: '' }];

/** Charges and failures as they are told to metrics. */
function createRecordedMetrics() {
  const records: string[] = [];
  const labelOf = ({ granted, isCharged }: ChargeResult) => `${granted}${isCharged ? '' : ' not charged'}`;
  return {
    records,
    metrics: {
      charged: (quota: string, amount: number, result: ChargeResult) =>
        void records.push(`${quota}: ${labelOf(result)} of ${amount}`),
      chargedPlan: (limit: string, amount: number, result: ChargeResult) =>
        void records.push(`plan ${limit}: ${labelOf(result)} of ${amount}`),
      refund: (result: string) => void records.push(`refund ${result}`),
      undefinedCharged: () => void records.push('undefined'),
      unknownKey: () => undefined,
      receipt: (result: string) => void records.push(`receipt ${result}`),
      storeFailed: (store: string, error: unknown) => void records.push(`${store}: ${errorText(error)}`),
    },
  };
}

function setUp(limits: readonly QuotaLimit[], store?: QuotaStore) {
  const clock = createFakeClock();
  const { records, metrics } = createRecordedMetrics();
  const undefinedQuotas: string[] = [];
  const handler = createQuotaHandler({
    limits,
    clock,
    store: store ?? createMemoryStore({ clock, maxCounters: 1000 }),
    metrics,
    onUndefined: (quota) => undefinedQuotas.push(quota),
  });
  let calls = 0;
  const check = async (
    quotas: Readonly<Record<string, number | QuotaParams>>,
    { attributes = byKey(), deduplicationId = `call-${calls++}` } = {},
  ): Promise<CheckResponse> =>
    handler.answer(
      {
        attributes,
        deduplicationId,
        quotas: new Map(
          Object.entries(quotas).map(([name, params]) => [
            name,
            typeof params === 'number' ? { amount: params, bestEffort: false } : params,
          ]),
        ),
      },
      { timeoutMs: 5000, signal: NEVER_ABORTED },
    );
  const granted = async (...args: Parameters<typeof check>): Promise<Readonly<Record<string, number>>> =>
    Object.fromEntries([...(await check(...args)).quotas].map(([name, { grantedAmount }]) => [name, grantedAmount]));
  const decide = async (
    quotas: readonly QuotaCharge[],
    policy?: 'FAIL_OPEN' | 'FAIL_CLOSE',
    deduplicationId?: string,
  ) =>
    handler.check({
      attributes: byKey(),
      quotas,
      deduplicationId,
      failPolicy: policy === undefined ? {} : { policy },
      transport: {},
    });
  return { clock, handler, check, granted, decide, records, undefinedQuotas };
}

test('it permits every request, for every client to know, and answers each quota', async (t) => {
  const { check } = setUp([limitOf('rate'), limitOf('burst', { window: 'fixed', validDurationMs: 1000 })]);
  t.deepEqual(await check({ rate: 3, burst: 1 }), {
    precondition: {
      status: { code: 'OK', message: '' },
      validDurationMs: 60_000,
      validUseCount: -1,
      referencedAttributes: [],
    },
    quotas: new Map([
      ['rate', { grantedAmount: 3, validDurationMs: 60_000, referencedAttributes: [] }],
      ['burst', { grantedAmount: 1, validDurationMs: 1000, referencedAttributes: [] }],
    ]),
  });
});

test('a request without quotas is permitted without asking the store', async (t) => {
  const { check, records } = setUp([limitOf('rate')]);
  t.is((await check({})).quotas.size, 0);
  t.deepEqual(records, []);
});

test('quotas of a request are charged together; what is refused tells when to come back', async (t) => {
  const { check, granted, records } = setUp([limitOf('a'), limitOf('b', { maxAmount: 1 })]);
  t.deepEqual(await granted({ a: 4, b: 1 }), { a: 4, b: 1 });
  const { quotas } = await check({ a: 6, b: 1 });
  t.is(quotas.get('b')?.grantedAmount, 0);
  t.is(quotas.get('b')?.retryAfterMs, 61_000);
  t.is(quotas.get('a')?.grantedAmount, 6, 'what there is');
  t.deepEqual(await granted({ a: 6 }), { a: 6 }, 'it was not taken');
  t.deepEqual(records, ['a: 4 of 4', 'b: 1 of 1', 'a: 6 not charged of 6', 'b: 0 not charged of 1', 'a: 6 of 6']);
});

test('a quota without limit is granted, and told once per name until the limits change', async (t) => {
  const { handler, granted, records, undefinedQuotas } = setUp([limitOf('rate')]);
  t.deepEqual(await granted({ rat: 5, rate: 1 }), { rat: 5, rate: 1 });
  await granted({ rat: 5, tare: 1 });
  t.deepEqual(undefinedQuotas, ['rat', 'tare']);
  handler.update([limitOf('rate')]);
  await granted({ rat: 5 });
  t.deepEqual(undefinedQuotas, ['rat', 'tare', 'rat']);
  t.is(records.filter((record) => record === 'undefined').length, 4);
});

test('ever new names of quotas are told a thousand times at most', async (t) => {
  const { granted, undefinedQuotas } = setUp([]);
  for (let n = 0; n < 1500; n++) await granted({ [`q${n}`]: 1 });
  t.is(undefinedQuotas.length, 1000);
});

test('each value of a dimension is counted apart, and the answer says what decided', async (t) => {
  const { check, granted } = setUp([limitOf('rate', { maxAmount: 1, dimensions: API_KEY })]);
  t.deepEqual(await granted({ rate: 1 }, { attributes: byKey('a') }), { rate: 1 });
  t.deepEqual(await granted({ rate: 1 }, { attributes: byKey('b') }), { rate: 1 });
  t.deepEqual(await granted({ rate: 1 }), { rate: 1 });
  const again = (await check({ rate: 1 }, { attributes: byKey('a') })).quotas.get('rate');
  t.is(again?.grantedAmount, 0);
  t.deepEqual(again?.referencedAttributes, [{ name: 'request.api_key', condition: 'EXACT' }]);
  const absent = (await check({ rate: 1 })).quotas.get('rate');
  t.deepEqual(absent?.referencedAttributes, [{ name: 'request.api_key', condition: 'ABSENCE' }]);
});

test('a repeated request is charged once and counted once, also at the same time', async (t) => {
  const { granted, records } = setUp([limitOf('rate')]);
  const repeat = () => granted({ rate: 6 }, { deduplicationId: 'request-7' });
  t.deepEqual(await Promise.all([repeat(), repeat()]), [{ rate: 6 }, { rate: 6 }]);
  t.deepEqual(await repeat(), { rate: 6 });
  t.deepEqual(await granted({ rate: 4 }), { rate: 4 });
  t.deepEqual(records, ['rate: 6 of 6', 'rate: 4 of 4']);
});

test('an id that is used again for other charges or other values is no repetition', async (t) => {
  const { granted } = setUp([limitOf('rate', { dimensions: API_KEY }), limitOf('other')]);
  const deduplicationId = 'request-7';
  const attributes = byKey('a');
  t.deepEqual(await granted({ rate: 6 }, { deduplicationId, attributes }), { rate: 6 });
  t.deepEqual(await granted({ rate: 5 }, { deduplicationId, attributes }), { rate: 0 });
  t.deepEqual(await granted({ rate: 6, other: 1 }, { deduplicationId, attributes }), { rate: 0, other: 1 });
  t.deepEqual(await granted({ rate: 6 }, { deduplicationId, attributes: byKey('b') }), { rate: 6 });
  t.deepEqual(await granted({ rate: 5 }, { deduplicationId, attributes: byKey('b') }), { rate: 0 });
});

test('requests without an id are never repetitions of one another', async (t) => {
  const { granted } = setUp([limitOf('rate')]);
  for (const rate of [6, 0]) t.deepEqual(await granted({ rate: 6 }, { deduplicationId: '' }), { rate });
});

test('a changed amount holds at once for what was used; unchanged quotas keep their counts', async (t) => {
  const { handler, granted } = setUp([limitOf('a'), limitOf('b', { dimensions: API_KEY })]);
  await granted({ a: 8, b: 10 });
  handler.update([limitOf('b', { dimensions: API_KEY }), limitOf('a', { maxAmount: 12 })]);
  t.deepEqual(await granted({ a: 5 }), { a: 0 });
  t.deepEqual(await granted({ a: 4 }), { a: 4 });
  t.deepEqual(await granted({ b: 1 }), { b: 0 });
  handler.update([limitOf('a', { maxAmount: 5 }), limitOf('b', { dimensions: API_KEY })]);
  t.deepEqual(await granted({ a: 1 }), { a: 0 });
});

test('a removed quota is granted, and begins anew when it comes back; so does one whose window changes', async (t) => {
  const { handler, granted } = setUp([limitOf('a', { maxAmount: 1 }), limitOf('b', { maxAmount: 1 })]);
  await granted({ a: 1, b: 1 });
  handler.update([limitOf('b', { maxAmount: 1, validDurationMs: 30_000 })]);
  t.deepEqual(await granted({ a: 7, b: 1 }), { a: 7, b: 1 });
  handler.update([limitOf('a', { maxAmount: 1 })]);
  t.deepEqual(await granted({ a: 1 }), { a: 1 });
});

for (const amount of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
  test(`a charge of ${amount}, which no client of ours sends, is an error and charges nothing`, async (t) => {
    const { check, granted } = setUp([limitOf('rate')]);
    await t.throwsAsync(check({ rate: { amount, bestEffort: true } }), {
      instanceOf: PolicyTransportError,
      message: `Quota "rate" is charged ${amount}: use a whole number from 1 to 9007199254740991`,
    });
    t.deepEqual(await granted({ rate: 10 }), { rate: 10 });
  });
}

/** A store whose answers the test gives. */
function createPendingStore() {
  const calls: { request: StoreRequest; answer: (answer: StoreAnswer) => void; fail: (error: Error) => void }[] = [];
  const store: QuotaStore = {
    type: 'redis',
    charge: (request) => new Promise((answer, fail) => calls.push({ request, answer, fail })),
    reserve: () => ({ granted: 0, left: 0, bucket: 0 }),
    keepReceipt: () => {},
    takeReceipt: () => undefined,
    refundSecret: () => 'secret',
    refund: () => 'expired',
    use: () => ({ largest: [], counters: 0 }),
    reset: () => undefined,
    keepOnly: () => {},
    isUp: () => true,
    close: async () => {},
  };
  return { calls, store };
}

test('a store that cannot count rejects, is counted, and is asked again by a retry', async (t) => {
  const { calls, store } = createPendingStore();
  const { check, records } = setUp([limitOf('rate')], store);
  const first = check({ rate: 1 }, { deduplicationId: 'request-7' });
  const second = check({ rate: 1 }, { deduplicationId: 'request-7' });
  t.is(calls.length, 1, 'both wait for one answer');
  calls[0]?.fail(new PolicyTransportError('timeout', 'too slow'));
  await t.throwsAsync(first, { message: 'too slow' });
  await t.throwsAsync(second, { message: 'too slow' });
  t.deepEqual(records, ['redis: too slow']);
  const retry = check({ rate: 1 }, { deduplicationId: 'request-7' });
  calls[1]?.answer({ results: [{ granted: 1, isCharged: true, validMs: 5, left: 9, resetMs: 5 }], isRepetition: true });
  t.is((await retry).quotas.get('rate')?.grantedAmount, 1);
  t.deepEqual(records, ['redis: too slow'], 'a repetition is not counted again');
});

for (const [policy, code] of [
  ['FAIL_OPEN', 'OK'],
  ['FAIL_CLOSE', 'UNAVAILABLE'],
] as const) {
  test(`${policy} decides at once when the store cannot count, and no quota is said to be exhausted`, async (t) => {
    const { calls, store } = createPendingStore();
    const { decide, clock } = setUp([limitOf('rate')], store);
    const decision = decide([{ quota: 'rate', charge: 1 }], policy);
    calls[0]?.fail(new PolicyTransportError('send', 'connection refused'));
    t.is((await decision).status.code, code);
    t.is((await decision).failure, 'backend');
    t.deepEqual((await decision).exhaustedQuotas, []);
    t.is(calls.length, 1, 'the store is not asked again');
    t.is(clock.timers, 0);
  });
}

test('a defect of the store is no failure of the store: it is thrown', async (t) => {
  const { calls, store } = createPendingStore();
  const { decide } = setUp([limitOf('rate')], store);
  const decision = decide([{ quota: 'rate', charge: 1 }]);
  calls[0]?.fail(new TypeError('defect'));
  await t.throwsAsync(decision, { instanceOf: TypeError });
});

const TWO_QUOTAS: readonly QuotaCharge[] = [
  { quota: 'free', charge: 1 },
  { quota: 'rate', charge: 1 },
];

test('the limit is exact, and a refusal names the quota and the wait', async (t) => {
  const { decide } = setUp([limitOf('rate'), limitOf('free', { maxAmount: 1000 })]);
  const decisions = await Promise.all(Array.from({ length: 50 }, () => decide(TWO_QUOTAS)));
  t.is(decisions.filter(({ status }) => status.code === 'OK').length, 10);
  const refused = decisions.find(({ status }) => status.code !== 'OK');
  t.deepEqual(refused, {
    status: { code: 'RESOURCE_EXHAUSTED', message: 'Quota is exhausted for: rate' },
    isCheckCacheHit: false,
    isQuotaCacheHit: false,
    exhaustedQuotas: ['rate'],
    retryAfterMs: 61_000,
  });
});

test('a decision with counters in memory needs neither a promise nor a timer', (t) => {
  const { handler, clock } = setUp([limitOf('rate')]);
  const fields = { attributes: byKey(), deduplicationId: 'a', failPolicy: {}, transport: {} };
  const decision = handler.check({ ...fields, quotas: [{ quota: 'rate', charge: 1 }] });
  t.false(decision instanceof Promise);
  t.is(clock.timers, 0);
});

test('charges of one quota add up, charges of 0 are none, and the longest wait counts', async (t) => {
  const { decide, records } = setUp([limitOf('rate'), limitOf('burst', { window: 'fixed', validDurationMs: 1000 })]);
  const six = { quota: 'rate', charge: 6 };
  t.is((await decide([six, { quota: 'burst', charge: 10 }, { quota: 'rate', charge: 0 }])).status.code, 'OK');
  const { exhaustedQuotas, retryAfterMs } = await decide([
    six,
    { quota: 'rate', charge: 1 },
    { quota: 'burst', charge: 1 },
  ]);
  t.deepEqual(exhaustedQuotas, ['rate', 'burst']);
  t.is(retryAfterMs, 61_000);
  t.deepEqual(records, ['rate: 6 of 6', 'burst: 10 of 10', 'rate: 0 not charged of 7', 'burst: 0 not charged of 1']);
});

test('attempts at one check are charged once; checks without an id are charged each', async (t) => {
  const { decide, granted } = setUp([limitOf('rate')]);
  const charges = [{ quota: 'rate', charge: 3 }];
  for (const id of ['a', 'a', undefined, undefined]) t.is((await decide(charges, undefined, id)).status.code, 'OK');
  t.deepEqual(await granted({ rate: 2 }), { rate: 0 });
  t.deepEqual(await granted({ rate: 1 }), { rate: 1 });
});

test('through the client library, the limit is exact and a refusal names the quota and the wait', async (t) => {
  const { handler, clock } = setUp([limitOf('rate'), limitOf('free', { maxAmount: 1000 })]);
  const config = { disableCheckCache: true, disableQuotaCache: true };
  const transport = { check: handler.answer, report: async () => undefined };
  const client = createPolicyClient(config, { transport, clock, random: () => 0, clientId: 'c' });
  const decisions = await Promise.all(
    Array.from({ length: 50 }, () => client.check({ attributes: byKey(), quotas: TWO_QUOTAS })),
  );
  t.is(decisions.filter(({ status }) => status.code === 'OK').length, 10);
  const refused = decisions.find(({ status }) => status.code !== 'OK');
  t.deepEqual(refused?.status, { code: 'RESOURCE_EXHAUSTED', message: 'Quota is exhausted for: rate' });
  t.is(refused?.retryAfterMs, 61_000);
  await client.close();
});
