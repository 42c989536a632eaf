import test from 'ava';
import { parseDimension } from '../../../src/config/policy-server/dimension.js';
import type { QuotaLimit } from '../../../src/config/policy-server/policy-server-config.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { compileLimit } from '../../../src/policy/quota/compile-limit.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import type { QuotaStore } from '../../../src/policy/quota/quota-store.js';
import { readQuotaUse, resetCounter } from '../../../src/policy/quota/quota-use.js';
import { createFakeClock } from '../../support/fake-clock.js';

const dimensionOf = (text: string) => parseDimension(text) ?? { text: '', attribute: '' };
const LIMIT: QuotaLimit = {
  ...{ name: 'reads', maxAmount: 10, validDurationMs: 60_000, window: 'rolling' },
  dimensions: [dimensionOf('request.api_key'), dimensionOf('source.namespace')],
  overrides: [
    { dimensions: new Map([['request.api_key', 'gold']]), maxAmount: 100, validDurationMs: 60_000 },
    { dimensions: new Map([['request.api_key', 'daily']]), maxAmount: 5, validDurationMs: 86_400_000 },
  ],
};

function setUp() {
  const clock = createFakeClock();
  const store = createMemoryStore({ clock, maxCounters: 1000 });
  return { clock, store };
}

async function charge(store: QuotaStore, key: string, namespace: string, amount: number) {
  const bag = bagOf(
    new Map([
      ['request.api_key', stringAttribute(key)],
      ['source.namespace', stringAttribute(namespace)],
    ]),
  );
  const { counter, maxAmount } = compileLimit(LIMIT).resolve(bag);
  const charges = [{ counter, maxAmount, amount, bestEffort: false }];
  await store.charge({ repetitionKey: undefined, charges, timeoutMs: 1000 });
}

test('the live use names each key with its amount and its limit, the largest first, and no credential', async (t) => {
  const { store } = setUp();
  await charge(store, 'gold', 'shop', 40);
  await charge(store, 'silver', 'shop', 3);
  await charge(store, 'daily', 'team:a', 5);
  const [use, ...others] = await readQuotaUse([LIMIT], store);
  t.deepEqual(others, []);
  t.like(use, { quota: 'reads', counters: 3, maxAmount: 10 });
  t.deepEqual(
    use?.keys.map(({ values, used, maxAmount }) => [values['source.namespace'], used, maxAmount]),
    [
      ['shop', 40, 100],
      ['team:a', 5, 5],
      ['shop', 3, 10],
    ],
  );
  t.regex(use?.keys[0]?.values['request.api_key'] ?? '', /^sha256:[0-9a-f]{12}$/);
  t.notRegex(JSON.stringify(use), /gold|silver|daily/);
});

test('amounts leave the live use with their window', async (t) => {
  const { clock, store } = setUp();
  await charge(store, 'silver', 'shop', 3);
  clock.advance(62_000);
  t.like((await readQuotaUse([LIMIT], store))[0], { keys: [], counters: 0 });
});

test('a reset sets one counter to zero, and knows none that is not listed', async (t) => {
  const { store } = setUp();
  await charge(store, 'gold', 'shop', 40);
  await charge(store, 'silver', 'shop', 3);
  const [use] = await readQuotaUse([LIMIT], store);
  const id = use?.keys[0]?.id ?? '';
  t.false(await resetCounter([LIMIT], store, 'other', id));
  t.false(await resetCounter([LIMIT], store, 'reads', 'invented'));
  t.true(await resetCounter([LIMIT], store, 'reads', id));
  t.false(await resetCounter([LIMIT], store, 'reads', id));
  t.deepEqual(
    (await readQuotaUse([LIMIT], store))[0]?.keys.map(({ used }) => used),
    [3],
  );
});

test('a key that is longer than the store keeps is shown as its hash', async (t) => {
  const { store } = setUp();
  await charge(store, 'k'.repeat(1000), 'shop', 1);
  const [use] = await readQuotaUse([LIMIT], store);
  t.regex(use?.keys[0]?.values['request.api_key, source.namespace'] ?? '', /^#[\w-]{43}$/);
});
