import test from 'ava';
import type { QuotaLimit } from '../../../src/config/policy-server/policy-server-config.js';
import { type AttributeBag, bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import type { HandlerCheck, PlanCharge } from '../../../src/policy/handlers/policy-handler.js';
import { eventually } from '../../support/eventually.js';
import { createQuotaRig } from './quota-rig.js';

function limitOf(name: string, maxAmount: number, dimension?: string): QuotaLimit {
  const dimensions = dimension === undefined ? [] : [{ text: dimension, attribute: dimension }];
  return { name, maxAmount, validDurationMs: 60_000, window: 'fixed', dimensions, overrides: [] };
}

const PER_KEY: PlanCharge = { policy: 'per-key', limit: limitOf('shop/gold per-key', 2, 'api.key_id') };
const OF_PLAN: PlanCharge = { policy: 'all', limit: limitOf('shop/gold all', 3) };

function callOf(key: string): AttributeBag {
  return bagOf(new Map([['api.key_id', stringAttribute(key)]]));
}

function setUp(quotas: readonly QuotaLimit[] = [], countsQuotas = true) {
  const { clock, handler, scrape } = createQuotaRig({ limits: quotas, countsQuotas });
  let requests = 0;
  const check = async (key: string, fields: Partial<HandlerCheck> = {}) =>
    handler.check({
      attributes: callOf(key),
      quotas: [],
      planCharges: [PER_KEY, OF_PLAN],
      deduplicationId: `request-${requests++}`,
      failPolicy: {},
      transport: {},
      ...fields,
    });
  const metric = async (line: string) => (await scrape()).includes(line);
  return { clock, handler, check, metric };
}

test('limits of keys and of the whole plan count together: all of them, or none', async (t) => {
  const { check, metric } = setUp();
  t.like(await check('a'), { status: { code: 'OK' } });
  t.like(await check('a'), { status: { code: 'OK' } });
  t.like(await check('a'), {
    status: { code: 'RESOURCE_EXHAUSTED', message: 'Quota is exhausted for: per-key' },
    exhaustedQuotas: ['per-key'],
    retryAfterMs: 60_000,
  });
  t.like(await check('b'), { status: { code: 'OK' } }, 'the refused request did not count for the plan');
  t.like(await check('b'), { status: { message: 'Quota is exhausted for: all' } });
  t.true(await metric('policy_server_plan_charges_total{plan="shop/gold",result="granted"} 6'));
});

test('each answer tells the limits, and a refusal those that refuse', async (t) => {
  const { clock, check } = setUp();
  clock.advance(20_000);
  const policies = '"per-key";q=2;w=60, "all";q=3;w=60';
  t.deepEqual((await check('a')).responseHeaders, {
    'ratelimit-policy': policies,
    ratelimit: '"per-key";r=1;t=40, "all";r=2;t=40',
  });
  await check('a');
  t.deepEqual((await check('a')).responseHeaders, { 'ratelimit-policy': policies, ratelimit: '"per-key";r=0;t=40' });
});

test('quotas of QuotaSpecs count with the plan, and are told only if their spec says so', async (t) => {
  const { check } = setUp([limitOf('spec', 5), limitOf('quiet', 1)]);
  const quotas = [
    { quota: 'spec', charge: 2, isTold: true },
    { quota: 'quiet', charge: 1 },
  ];
  const first = await check('a', { quotas });
  t.is(first.responseHeaders?.['ratelimit'], '"per-key";r=1;t=60, "all";r=2;t=60, "spec";r=3;t=60');
  const refused = await check('a', { quotas });
  t.deepEqual(refused.exhaustedQuotas, ['quiet']);
  t.is(
    (await check('a')).responseHeaders?.['ratelimit'],
    '"per-key";r=0;t=60, "all";r=1;t=60',
    'the plan was not charged',
  );
});

test('with a remote server that counts quotas, only the plan is counted here', async (t) => {
  const { check } = setUp([limitOf('spec', 0)], false);
  t.like(await check('a', { quotas: [{ quota: 'spec', charge: 1 }] }), { status: { code: 'OK' } });
  t.like(await check('a'), { status: { code: 'OK' } });
  t.like(await check('a'), { exhaustedQuotas: ['per-key'] });
});

test('counters of plans stay while their plan does, also when the configuration changes', async (t) => {
  const { handler, check } = setUp();
  handler.usePlans([PER_KEY.limit, OF_PLAN.limit]);
  await check('a');
  await check('a');
  handler.update([limitOf('other', 1)]);
  t.like(await check('a'), { exhaustedQuotas: ['per-key'] });
  handler.usePlans([
    { ...PER_KEY.limit, maxAmount: 3 },
    { ...OF_PLAN.limit, maxAmount: 9 },
  ]);
  const larger = { planCharges: [{ ...PER_KEY, limit: { ...PER_KEY.limit, maxAmount: 3 } }] };
  t.like(await check('a', larger), { status: { code: 'OK' } }, 'a larger limit keeps the count');
  t.like(await check('a', larger), { exhaustedQuotas: ['per-key'] });
  handler.usePlans([]);
  t.like(await check('a'), { status: { code: 'OK' } }, 'the counters of a removed plan are gone');
});

test('the live use lists limits of plans, with a part of the hash of a key, and a counter can be reset', async (t) => {
  const { handler, check } = setUp();
  handler.usePlans([PER_KEY.limit, OF_PLAN.limit]);
  const keyId = `sha256:${'0123456789abcdef'.repeat(4)}`;
  await check(keyId);
  await check(keyId);
  const [perKey] = await handler.use();
  t.like(perKey, { quota: 'shop/gold per-key', maxAmount: 2, counters: 1 });
  t.like(perKey?.keys, [{ values: { 'api.key_id': 'sha256:0123456789ab' }, used: 2, maxAmount: 2 }]);
  t.true(await handler.reset('shop/gold per-key', perKey?.keys[0]?.id ?? ''));
  t.like(await check(keyId), { status: { code: 'OK' } });
});

const REFUNDED = {
  planCharges: [
    { ...PER_KEY, refundCodes: '5xx' },
    { ...OF_PLAN, refundCodes: '5xx' },
  ],
};
const NO_SERVICE = { attributes: bagOf(new Map()), service: {} };

test('a request whose response has a code of the refund is given back, once', async (t) => {
  const { handler, check, metric } = setUp();
  const { refund } = await check('a', REFUNDED);
  t.is(refund?.codes, '5xx');
  const ticket = refund?.ticket ?? '';
  handler.report?.({ ...NO_SERVICE, refund: { ticket, responseCode: 200 } });
  handler.report?.({ ...NO_SERVICE, refund: { ticket, responseCode: 503 } });
  handler.report?.({ ...NO_SERVICE, refund: { ticket, responseCode: 503 } });
  handler.report?.({ ...NO_SERVICE, refund: { ticket: `${ticket.slice(0, -1)}x`, responseCode: 503 } });
  await eventually('all refunds are judged', () => metric('policy_server_quota_refunds_total{result="forged"} 1'));
  t.true(await metric('policy_server_quota_refunds_total{result="refunded"} 1'));
  t.true(await metric('policy_server_quota_refunds_total{result="used"} 1'));
  t.is((await check('a', REFUNDED)).responseHeaders?.['ratelimit'], '"per-key";r=1;t=60, "all";r=2;t=60');
});

test('a refused request, one without an id and one without refundable charges have no ticket', async (t) => {
  const { check } = setUp();
  t.is((await check('a')).refund, undefined);
  t.is((await check('a', { ...REFUNDED, deduplicationId: undefined })).refund, undefined);
  t.is((await check('a', REFUNDED)).refund, undefined, 'it was refused');
});

test('a ticket is of no use five minutes after its check', async (t) => {
  const { clock, handler, check, metric } = setUp();
  const day = { ...PER_KEY, limit: { ...PER_KEY.limit, validDurationMs: 86_400_000 }, refundCodes: '503' };
  const { refund } = await check('a', { planCharges: [day] });
  clock.advance(300_001);
  handler.report?.({ ...NO_SERVICE, refund: { ticket: refund?.ticket ?? '', responseCode: 503 } });
  await eventually('it is judged', () => metric('policy_server_quota_refunds_total{result="expired"} 1'));
  t.is((await check('a', { planCharges: [day] })).responseHeaders?.['ratelimit'], '"per-key";r=0;t=86100');
});
