import test from 'ava';
import { parseDimension } from '../../../src/config/policy-server/dimension.js';
import type { QuotaLimit } from '../../../src/config/policy-server/policy-server-config.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import type { ReceiptUse } from '../../../src/policy/handlers/policy-handler.js';
import { createQuotaCharger } from '../../../src/policy/quota/charge-quotas.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import { createReceipts } from '../../../src/policy/quota/memory/receipts.js';
import { createQuotaMetrics } from '../../../src/policy/quota/quota-metrics.js';
import type { QuotaStore } from '../../../src/policy/quota/quota-store.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { createFakeClock } from '../../support/fake-clock.js';

const SERVICE = 'books.shop.svc.cluster.local';
const USER = parseDimension('source.user') ?? { text: '', attribute: '' };

function setUp(change: (store: QuotaStore) => Partial<QuotaStore> = () => ({}), maxRepetitions = 100) {
  const clock = createFakeClock();
  const counts: Record<string, number> = {};
  const memory = createMemoryStore({ clock, maxCounters: 100, maxRepetitions });
  const increment = (_family: string, labels?: Readonly<Record<string, string>>): void => {
    const name = labels?.['result'] ?? 'other';
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const limit = (name: string, fields: Partial<QuotaLimit> = {}): QuotaLimit => {
    const own = {
      name,
      maxAmount: 10,
      validDurationMs: 600_000,
      window: 'rolling',
      overrides: [],
      dimensions: [],
    } as const;
    return { ...own, ...fields };
  };
  const charger = createQuotaCharger({
    limits: [limit('rate'), limit('each', { dimensions: [USER] }), limit('never', { maxAmount: 0 })],
    store: { ...memory, ...change(memory) },
    metrics: createQuotaMetrics({ increment } as never),
  });
  let requests = 0;
  /** Returns the receipt, or what the demands got. */
  const charge = async (
    demands: Readonly<Record<string, number>>,
    receipt?: ReceiptUse,
    { user = 'ann', deduplicationId = `request ${requests++}` } = {},
  ) => {
    const outcome = await charger.charge({
      attributes: bagOf(new Map([['source.user', stringAttribute(user)]])),
      deduplicationId,
      demands: Object.entries(demands).map(([quota, amount]) => ({ quota, amount, bestEffort: false })),
      timeoutMs: 1000,
      receipt,
    });
    if (outcome.type !== 'counted') throw new Error('a key is unknown');
    return { receipt: outcome.receipt ?? '', granted: outcome.results.map(({ grantedAmount }) => grantedAmount) };
  };
  /** Units that are left of a quota. */
  const left = async (quota: string, user = 'ann'): Promise<number> => {
    for (let amount = 10; amount > 0; amount--) {
      const request = { attributes: bagOf(new Map([['source.user', stringAttribute(user)]])), deduplicationId: '' };
      const probe = await charger.charge({
        ...request,
        demands: [
          { quota, amount, bestEffort: false },
          // Never granted, so that the probe charges nothing.
          { quota: 'never', amount: 1, bestEffort: false },
        ],
        timeoutMs: 1000,
      });
      if (probe.type === 'counted' && (probe.results[0]?.grantedAmount ?? 0) === amount) return amount;
    }
    return 0;
  };
  return { charge, left, clock, counts };
}

const issue = (scope: 'counters' | 'quotas' = 'quotas', service = SERVICE): ReceiptUse => ({
  type: 'issue',
  scope,
  service,
});
const redeem = (receipt: string, service = SERVICE): ReceiptUse => ({ type: 'redeem', receipt, service });

test('a request with the receipt of its charges is not charged again', async (t) => {
  const { charge, left, counts } = setUp();
  const { receipt } = await charge({ rate: 3, each: 1 }, issue());
  const { granted } = await charge({ rate: 3, each: 1 }, redeem(receipt));
  t.deepEqual(granted, [3, 1]);
  t.is(await left('each'), 9);
  t.is(await left('rate'), 7);
  t.like(counts, { issued: 1, redeemed: 1 });
});

test('a receipt covers the amounts that were charged, and the rest is charged', async (t) => {
  const { charge, left } = setUp();
  const { receipt } = await charge({ rate: 2 }, issue());
  await charge({ rate: 5, each: 4 }, redeem(receipt));
  t.is(await left('each'), 6);
  t.is(await left('rate'), 5, 'two by the router, three by the proxy of the service');
});

test('a receipt of a gateway covers another value of a dimension, and one of another router does not', async (t) => {
  const { charge, left } = setUp();
  const trusted = await charge({ each: 4 }, issue('quotas'), { user: 'client' });
  await charge({ each: 4 }, redeem(trusted.receipt), { user: 'router' });
  t.is(await left('each', 'router'), 10);
  const other = await charge({ each: 4 }, issue('counters'), { user: 'client' });
  await charge({ each: 4 }, redeem(other.receipt), { user: 'router' });
  t.is(await left('each', 'router'), 6);
});

test('a receipt is of use for one request, for its service, and for a minute', async (t) => {
  const { charge, left, clock, counts } = setUp();
  const { receipt } = await charge({ rate: 1 }, issue());
  await charge({ rate: 1 }, redeem(receipt, 'other.shop.svc.cluster.local'));
  t.is(await left('rate'), 8, 'for another service it is of no use');
  await charge({ rate: 1 }, redeem(receipt), { deduplicationId: 'one' });
  await charge({ rate: 1 }, redeem(receipt), { deduplicationId: 'one' });
  t.is(await left('rate'), 8, 'attempts at one Check use it together');
  await charge({ rate: 1 }, redeem(receipt), { deduplicationId: 'two' });
  t.is(await left('rate'), 7);
  const late = await charge({ rate: 1 }, issue());
  clock.advance(60_000);
  await charge({ rate: 1 }, redeem(late.receipt));
  t.is(await left('rate'), 5);
  t.is(counts['unknown'], 3);
});

test('a repeated Check of a router gets the receipt again, which stays of use for one request', async (t) => {
  const { charge, left } = setUp();
  const again = { deduplicationId: 'check of the router' };
  const first = await charge({ rate: 1 }, issue(), again);
  const second = await charge({ rate: 1 }, issue(), again);
  t.is(first.receipt, second.receipt);
  await charge({ rate: 1 }, redeem(first.receipt));
  await charge({ rate: 1 }, redeem(second.receipt));
  t.is(await left('rate'), 8);
});

test('a refused request gets no receipt, and invented receipts are not looked up', async (t) => {
  const { charge, left } = setUp((store) => ({
    takeReceipt: (id, taker) => {
      t.regex(id, /^[\w-]{43} books\.shop\.svc\.cluster\.local$/);
      return store.takeReceipt(id, taker);
    },
  }));
  t.is((await charge({ rate: 11 }, issue())).receipt, '');
  t.is((await charge({ rate: 1 }, issue(), { deduplicationId: '' })).receipt, '');
  for (const invented of ['', 'x', 'A'.repeat(43), 'A'.repeat(44), '*'.repeat(43)]) {
    await charge({ rate: 1 }, redeem(invented));
  }
  t.is(await left('rate'), 4);
});

test('with more receipts than are kept, the oldest is forgotten', async (t) => {
  const { charge, left } = setUp(undefined, 2);
  const { receipt } = await charge({ rate: 1 }, issue());
  await charge({ rate: 1 }, issue());
  await charge({ rate: 1 }, issue());
  await charge({ rate: 1 }, redeem(receipt));
  t.is(await left('rate'), 6);
});

test('a request whose receipt cannot be kept passes without it', async (t) => {
  const { charge } = setUp(() => ({ keepReceipt: () => Promise.reject(new Error('Redis is gone')) }));
  t.deepEqual(await charge({ rate: 1 }, issue()), { receipt: '', granted: [1] });
});

test('a request whose receipt cannot be looked up counts as an error of the store', async (t) => {
  const gone = () => Promise.reject(new Error('Redis is gone'));
  const { charge, counts, left } = setUp(() => ({ takeReceipt: gone }));
  const { receipt } = await charge({ rate: 1 }, issue());
  await t.throwsAsync(() => charge({ rate: 1 }, redeem(receipt)), { message: 'Redis is gone' });
  t.is(counts['other'], 1);
  t.is(await left('rate'), 9);
});

test('the memory of redeemed receipts does not grow with the ids of the requests', (t) => {
  const receipts = createReceipts({ clock: createFakeClock(), keptMs: 60_000, maxReceipts: 100 });
  const idOf = (request: number) => Buffer.alloc(4 * 1024 * 1024, 'a').toString('latin1') + request;
  const heldBytes = (): number => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = heldBytes();
  for (let request = 0; request < 16; request++) {
    receipts.keep(`receipt ${request}`, '[]');
    receipts.take(`receipt ${request}`, idOf(request));
  }
  t.true(heldBytes() - before < 32 * 1024 * 1024);
  t.is(receipts.take('receipt 0', idOf(0)), '[]');
  t.is(receipts.take('receipt 0', idOf(1)), undefined);
});
