import type { ExecutionContext } from 'ava';
import type { RedisStorage } from '../../../src/config/policy-server/policy-server-config.js';
import type { ChargeResult, QuotaStore } from '../../../src/policy/quota/quota-store.js';
import { type ChargeOptions, chargeOf, chargeStore, grantedBy } from '../../support/charge-store.js';
import { eventually } from '../../support/eventually.js';
import { openTestSession, openTestStore } from '../../support/redis-store.js';
import { type RedisContext, redisTests } from '../../support/redis-tests.js';

const { redisTest } = redisTests();

const openStore = (t: ExecutionContext<RedisContext>, storage: Partial<RedisStorage> = {}) =>
  openTestStore(t, t.context.redis, storage);
const openSession = (t: ExecutionContext<RedisContext>) => openTestSession(t, t.context.redis);

/** A window that does not end while a test runs. */
const LONG: ChargeOptions = { durationMs: 86_400_000 };

redisTest('it grants up to the limit, then refuses; keys and quotas are counted apart', async (t) => {
  const { store } = openStore(t);
  for (let n = 0; n < 10; n++) t.is(await grantedBy(store, LONG), 1);
  t.is(await grantedBy(store, LONG), 0);
  t.is(await grantedBy(store, { ...LONG, key: 'other' }), 1);
  t.is(await grantedBy(store, { ...LONG, group: 'other' }), 1);
});

redisTest('the use of keys has the amounts of all servers, and a reset holds for all of them', async (t) => {
  const first = openStore(t);
  const second = openStore(t, { keyPrefix: first.keyPrefix });
  await grantedBy(first.store, { ...LONG, key: 'a', amount: 2 });
  await grantedBy(second.store, { ...LONG, key: 'a', amount: 3 });
  await grantedBy(first.store, { ...LONG, key: 'b' });
  const { counter } = chargeOf(LONG);
  t.deepEqual(await first.store.use(counter, 10), {
    largest: [
      { key: 'a', used: 5 },
      { key: 'b', used: 1 },
    ],
    counters: undefined,
  });
  t.deepEqual((await second.store.use(counter, 10)).largest, [{ key: 'a', used: 5 }]);
  await second.store.reset({ ...counter, key: 'a' });
  t.deepEqual((await first.store.use(counter, 10)).largest, [{ key: 'b', used: 1 }]);
});

redisTest('amounts up to 2^53 - 1 are exact', async (t) => {
  const { store } = openStore(t);
  const maxAmount = Number.MAX_SAFE_INTEGER;
  t.is(await grantedBy(store, { ...LONG, maxAmount, amount: maxAmount - 1 }), maxAmount - 1);
  t.is(await grantedBy(store, { ...LONG, maxAmount, amount: 2 }), 0);
  t.is(await grantedBy(store, { ...LONG, maxAmount, amount: 2, bestEffort: true }), 1);
  t.is(await grantedBy(store, { ...LONG, maxAmount }), 0);
});

redisTest('all quotas of a request are charged, or none; best effort stands for itself', async (t) => {
  const { store } = openStore(t);
  t.is(await grantedBy(store, { ...LONG, group: 'full', amount: 10 }), 10);
  const { results } = await chargeStore(store, [
    chargeOf({ ...LONG, group: 'a', amount: 10 }),
    chargeOf({ ...LONG, group: 'full' }),
    chargeOf({ ...LONG, group: 'b', amount: 15, bestEffort: true }),
  ]);
  t.like(results, [
    { granted: 10, isCharged: false },
    { granted: 0, isCharged: false },
    { granted: 10, isCharged: true },
  ]);
  t.is(await grantedBy(store, { ...LONG, group: 'a', amount: 10 }), 10, 'nothing was taken');
  t.is(await grantedBy(store, { ...LONG, group: 'b' }), 0);
});

redisTest('a receipt that one server has kept is taken once, at any server that shares the Redis', async (t) => {
  const first = openStore(t);
  const second = openStore(t, { keyPrefix: first.keyPrefix });
  await first.store.keepReceipt('paid', 'text of the receipt');
  t.is(await second.store.takeReceipt('paid', 'request 1'), 'text of the receipt');
  t.is(await first.store.takeReceipt('paid', 'request 1'), 'text of the receipt', 'the same taker, again');
  t.is(await first.store.takeReceipt('paid', 'request 2'), undefined);
  t.is(await second.store.takeReceipt('unknown', 'request 1'), undefined);
});

redisTest('two servers that share a Redis let exactly the limit through under concurrency', async (t) => {
  const first = openStore(t);
  const second = openStore(t, { keyPrefix: first.keyPrefix });
  const stores = [first.store, second.store];
  const warmUp = { ...LONG, key: 'warm-up' };
  await Promise.all(stores.map((store) => grantedBy(store, warmUp)));
  const worker = async (store: QuotaStore): Promise<number> => {
    let total = 0;
    for (let n = 0; n < 10; n++) total += await grantedBy(store, { ...LONG, maxAmount: 100 });
    return total;
  };
  const totals = await Promise.all(
    stores.map(async (store) => {
      const workers = await Promise.all(Array.from({ length: 25 }, () => worker(store)));
      return workers.reduce((sum, total) => sum + total, 0);
    }),
  );
  t.is((totals[0] ?? 0) + (totals[1] ?? 0), 100);
  t.true(
    totals.every((total) => total > 0),
    totals.join(),
  );
});

redisTest('requests of several quotas never come between one another', async (t) => {
  const first = openStore(t);
  const second = openStore(t, { keyPrefix: first.keyPrefix });
  const both = [chargeOf({ ...LONG, group: 'a', maxAmount: 30 }), chargeOf({ ...LONG, group: 'b', maxAmount: 20 })];
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      chargeStore(n % 2 === 0 ? first.store : second.store, n % 3 === 0 ? both : [...both].reverse()),
    ),
  );
  t.is(answers.filter(({ results }) => results.every(({ isCharged }) => isCharged)).length, 20);
  t.true(answers.every(({ results }) => results[0]?.isCharged === results[1]?.isCharged));
  t.is(await grantedBy(first.store, { ...LONG, group: 'a', maxAmount: 30, amount: 50, bestEffort: true }), 10);
});

redisTest('a repeated request is charged once, also through another server', async (t) => {
  const first = openStore(t);
  const second = openStore(t, { keyPrefix: first.keyPrefix });
  const charges = [chargeOf({ ...LONG, amount: 6 })];
  const answers = await Promise.all(
    [first.store, second.store, first.store].map((store) => chargeStore(store, charges, 'request-7')),
  );
  t.deepEqual(answers.map(({ isRepetition }) => isRepetition).sort(), [false, true, true]);
  t.true(answers.every(({ results }) => results[0]?.granted === 6));
  t.is(await grantedBy(second.store, { ...LONG, amount: 4 }), 4);
});

redisTest('a fixed window tells its end, and begins anew after it', async (t) => {
  const { store } = openStore(t);
  const fixed: ChargeOptions = { window: 'fixed', durationMs: 300, maxAmount: 1 };
  let refused: ChargeResult | undefined;
  await eventually('a second charge in the same window', async () => {
    const { results } = await chargeStore(store, [chargeOf(fixed)]);
    refused = results.find(({ granted }) => granted === 0);
    return refused !== undefined;
  });
  t.false(refused?.isCharged);
  t.is(refused?.retryAfterMs, refused?.validMs);
  t.true((refused?.validMs ?? 0) > 0 && (refused?.validMs ?? 0) <= 300);
  await eventually('the next window', async () => (await grantedBy(store, fixed)) === 1);
});

redisTest('a rolling window never lets more through than its limit, and frees it in time', async (t) => {
  const { store } = openStore(t);
  const rolling: ChargeOptions = { durationMs: 240, maxAmount: 5 };
  const grants: { readonly fromMs: number; readonly untilMs: number }[] = [];
  await eventually('units come back', async () => {
    const fromMs = performance.now();
    const { results } = await chargeStore(store, [chargeOf(rolling)]);
    if (results[0]?.granted === 1) grants.push({ fromMs, untilMs: performance.now() });
    else t.true((results[0]?.retryAfterMs ?? 0) > 0);
    return grants.length === 20;
  });
  for (let n = 0; n + 5 < grants.length; n++) {
    const spanMs = (grants[n + 5]?.untilMs ?? 0) - (grants[n]?.fromMs ?? 0);
    t.true(spanMs >= 240, `six grants within ${spanMs} ms`);
  }
});

redisTest('every key expires, is under the prefix as hash tag, and shows no value of a caller', async (t) => {
  const { store, keyPrefix } = openStore(t);
  await chargeStore(store, [chargeOf({ key: 'secret-api-key' }), chargeOf({ group: 'b', window: 'fixed' })], 'repeat');
  const session = await openSession(t);
  const keys = (await session.command('KEYS', `{${keyPrefix}}*`)) as readonly string[];
  t.is(keys.length, 3);
  for (const key of keys) {
    t.regex(key, /^\{[^{}]+\}:[ac]:[A-Za-z0-9_-]{43}$/);
    const expiresMs = Number(await session.command('PTTL', key));
    t.true(expiresMs > 0 && expiresMs <= 61_001, `${expiresMs}`);
  }
});

const HOSTILE: readonly (readonly [string, string])[] = [
  ['line breaks and commands', "\r\n*1\r\n$8\r\nFLUSHALL\r\n'); redis.call('FLUSHALL') --"],
  ['a megabyte', 'x'.repeat(1_000_000)],
  ['other scripts and planes', 'ключ 鍵 🔑\u0000\u202e'],
  ['a lone surrogate', '\ud800'],
  ['what looks like a hash tag', '{other}:c:x'],
  ['nothing', ''],
];

for (const [name, key] of HOSTILE) {
  redisTest(`values of callers are counted as what they are: ${name}`, async (t) => {
    const { store } = openStore(t);
    const hostile = { ...LONG, maxAmount: 2 };
    t.is(await grantedBy(store, { ...hostile, key: 'bystander', amount: 2 }), 2);
    t.is(await grantedBy(store, { ...hostile, key, amount: 2 }), 2);
    t.is(await grantedBy(store, { ...hostile, key }), 0);
    t.is(await grantedBy(store, { ...hostile, key: `${key}!` }), 1, 'a value beside it');
    t.is(await grantedBy(store, { ...hostile, key: 'bystander' }), 0);
  });
}

redisTest('scripts that were flushed are sent again', async (t) => {
  const { store } = openStore(t);
  t.is(await grantedBy(store, LONG), 1);
  const session = await openSession(t);
  await session.command('SCRIPT', 'FLUSH');
  t.is(await grantedBy(store, { ...LONG, amount: 9 }), 9);
  t.is(await grantedBy(store, LONG), 0);
});

redisTest('something else under a counter’s key is an error, not a grant', async (t) => {
  const { store, keyPrefix } = openStore(t);
  await grantedBy(store, LONG);
  const session = await openSession(t);
  const [key = ''] = (await session.command('KEYS', `{${keyPrefix}}*`)) as readonly string[];
  await session.command('SET', key, 'x');
  await t.throwsAsync(grantedBy(store, LONG), {
    name: 'PolicyTransportError',
    message: /^Redis could not count quotas: WRONGTYPE/,
  });
  t.true(store.isUp());
});

redisTest(
  'every key expires, those of counters with their window and those of repetitions within a minute',
  async (t) => {
    const { store, keyPrefix } = openStore(t);
    const session = await openSession(t);
    const longest = 24 * 3_600_000;
    await chargeStore(store, [chargeOf({ ...LONG, key: 'a' }), chargeOf({ ...LONG, key: 'b', window: 'fixed' })], 'r');
    const keys = (await session.command('KEYS', `{${keyPrefix}}*`)) as readonly string[];
    t.is(keys.length, 3);
    for (const key of keys) {
      const ttlMs = Number(await session.command('PTTL', key));
      const most = key.includes(':r:') ? 60_000 : longest * (1 + 1 / 60);
      t.true(ttlMs > 0 && ttlMs <= most, `${key} expires in ${ttlMs} ms`);
    }
  },
);
