import test from 'ava';
import type { QuotaLimit } from '../../../src/config/policy-server/policy-server-config.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import type { HandlerCheck, ReceiptUse } from '../../../src/policy/handlers/policy-handler.js';
import { createQuotaRig } from './quota-rig.js';

const limit = (name: string, maxAmount: number): QuotaLimit => ({
  ...{ name, maxAmount, validDurationMs: 60_000, window: 'rolling', dimensions: [], overrides: [] },
});

function setUp() {
  const { handler, scrape } = createQuotaRig({ limits: [limit('small', 2), limit('large', 10)] });
  let calls = 0;
  const check = async (
    quotas: readonly string[],
    dryRun: readonly string[],
    { id = `call-${calls++}`, receipt }: { readonly id?: string; readonly receipt?: ReceiptUse } = {},
  ) => {
    const chargesOf = (names: readonly string[]): HandlerCheck['quotas'] =>
      names.map((quota) => ({ quota, charge: 1 }));
    const {
      status,
      dryRun: refusals,
      receipt: issued,
    } = await handler.check({
      attributes: bagOf(new Map([['request.path', stringAttribute('/')]])),
      quotas: chargesOf(quotas),
      dryRunQuotas: chargesOf(dryRun),
      deduplicationId: id,
      failPolicy: {},
      transport: {},
      receipt,
    });
    return { code: status.code, refused: refusals?.map(({ name }) => name) ?? [], issued };
  };
  return { check, scrape };
}

test('a quota in a dry run counts as if it were enforced, and every request passes', async (t) => {
  const { check } = setUp();
  const seen = [];
  for (let index = 0; index < 4; index++) seen.push(await check([], ['small']));
  t.deepEqual(
    seen.map(({ code, refused }) => [code, ...refused]),
    [['OK'], ['OK'], ['OK', 'small'], ['OK', 'small']],
  );
});

test('quotas of a dry run are charged all or none, apart from enforced ones', async (t) => {
  const { check, scrape } = setUp();
  for (let index = 0; index < 5; index++) await check([], ['small', 'large']);
  // Three of the five would have been refused, and have charged neither.
  const seen = [];
  for (let index = 0; index < 9; index++) seen.push((await check([], ['large'])).refused.length);
  t.deepEqual(seen, [0, 0, 0, 0, 0, 0, 0, 0, 1]);
  t.deepEqual([(await check(['small'], [])).code, (await check(['small'], [])).code], ['OK', 'OK']);
  t.is((await check(['small'], [])).code, 'RESOURCE_EXHAUSTED');
  t.regex(await scrape(), /policy_server_quota_charges_total\{quota="small",result="granted"\} 2\n/);
});

test('a request that an enforced quota refuses charges no dry run', async (t) => {
  const { check } = setUp();
  for (let index = 0; index < 2; index++) await check(['small'], []);
  for (let index = 0; index < 5; index++) t.is((await check(['small'], ['large'])).code, 'RESOURCE_EXHAUSTED');
  const seen = [];
  for (let index = 0; index < 11; index++) seen.push((await check([], ['large'])).refused.length);
  t.deepEqual(seen, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
});

test('a repeated check, and the check behind a gateway, charge a dry run once', async (t) => {
  const { check } = setUp();
  const service = 'web.shop';
  for (let index = 0; index < 3; index++) await check([], ['small'], { id: 'same' });
  const { issued = '' } = await check([], ['small'], { receipt: { type: 'issue', service, scope: 'quotas' } });
  t.not(issued, '');
  t.deepEqual((await check([], ['small'], { receipt: { type: 'redeem', service, receipt: issued } })).refused, []);
  t.deepEqual((await check([], ['small'])).refused, ['small']);
});
