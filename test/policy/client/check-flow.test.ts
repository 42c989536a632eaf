import test from 'ava';
import { bagOf, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import { createPolicyClient, type PolicyCheck } from '../../../src/policy/client/policy-client.js';
import { PolicyTransportError, type QuotaResult } from '../../../src/policy/client/policy-transport.js';
import type { TransportConfig } from '../../../src/policy/client/transport-config.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { allow, createFakePolicyServer, deny, sendError, settled } from '../../support/policy-server.js';

const attributes = bagOf(EMPTY_LAYER);
const FOREVER: QuotaResult = { grantedAmount: 10, referencedAttributes: [] };

function setUp(config: TransportConfig = {}) {
  const clock = createFakeClock();
  const server = createFakePolicyServer();
  const client = createPolicyClient(config, { transport: server, clock, random: () => 0, clientId: 'c' });
  const check = (charges: Readonly<Record<string, number>> = {}, more: Partial<PolicyCheck> = {}) =>
    client.check({
      attributes,
      quotas: Object.entries(charges).map(([quota, charge]) => ({ quota, charge })),
      ...more,
    });
  /** Answers the call with this number, with what each quota grants. */
  const answer = async (call: number, quotas: Readonly<Record<string, number>> = {}, precondition = allow()) => {
    const results = Object.entries(quotas).map(
      ([name, grantedAmount]) => [name, { ...FOREVER, grantedAmount }] as const,
    );
    server.checks[call]?.answer({ precondition, quotas: new Map(results) });
    await settled();
  };
  return { clock, server, client, check, answer };
}

test('a request that is not cached is decided by one Check call with its quotas', async (t) => {
  const { server, check, answer } = setUp();
  const decision = check({ a: 1, b: 2 });
  t.deepEqual(
    [...(server.checks[0]?.request.quotas ?? [])],
    [
      ['a', { amount: 1, bestEffort: false }],
      ['b', { amount: 2, bestEffort: false }],
    ],
  );
  await answer(0, { a: 1, b: 2 });
  t.deepEqual(await decision, {
    status: { code: 'OK', message: '' },
    isCheckCacheHit: false,
    isQuotaCacheHit: false,
    exhaustedQuotas: [],
  });
  t.is(server.checks.length, 1);
});

test('a cached denial is final, and charges nothing', async (t) => {
  const { server, client, check, answer } = setUp();
  void check();
  await answer(0, {}, deny('go away', { routeDirective: { directResponseBody: 'custom' } }));
  const decision = await check({ a: 1 });
  t.deepEqual(decision.status, { code: 'PERMISSION_DENIED', message: 'go away' });
  t.deepEqual(decision.routeDirective, { directResponseBody: 'custom' });
  t.true(decision.isCheckCacheHit);
  t.is(server.checks.length, 1);
  t.is(client.statistics().total_quota_calls, 0);
});

test('a cached permission without quotas is final', async (t) => {
  const { server, check, answer } = setUp();
  void check();
  await answer(0);
  t.is((await check()).status.code, 'OK');
  t.is((await check({ zero: 0 })).status.code, 'OK', 'a charge of 0 is none');
  t.is(server.checks.length, 1);
});

test('with a cached permission and cached quotas it decides at once and prefetches in the background', async (t) => {
  const { server, client, check, answer } = setUp();
  void check({ a: 1 });
  await answer(0, { a: 1 });
  const decision = await check({ a: 1 });
  t.is(decision.status.code, 'OK');
  t.true(decision.isCheckCacheHit && decision.isQuotaCacheHit);
  t.deepEqual([...(server.checks[1]?.request.quotas ?? [])], [['a', { amount: 10, bestEffort: true }]]);
  t.is(client.statistics().total_remote_quota_prefetch_calls, 1);
  await answer(1, { a: 0 });
  t.is((await check({ a: 1 })).status.code, 'RESOURCE_EXHAUSTED');
  t.is(server.checks.length, 2);
});

test('a quota denial is RESOURCE_EXHAUSTED and names the quotas that refused, in order', async (t) => {
  const { check, answer } = setUp();
  const decision = check({ b: 1, ok: 1, a: 1 });
  await answer(0, { a: 0, ok: 1, b: 0 });
  t.deepEqual((await decision).status, { code: 'RESOURCE_EXHAUSTED', message: 'Quota is exhausted for: b,a' });
  t.deepEqual((await decision).exhaustedQuotas, ['b', 'a']);
});

test('a refused request gets the longest wait of its refusing quotas', async (t) => {
  const { server, check } = setUp({ disableQuotaCache: true });
  const refuse = (retryAfterMs?: number): QuotaResult => ({
    grantedAmount: 0,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  const decisionOf = async (results: Readonly<Record<string, QuotaResult>>) => {
    const decision = check({ a: 1, b: 1, ok: 1 });
    server.checks.at(-1)?.answer({ precondition: allow(), quotas: new Map(Object.entries(results)) });
    return decision;
  };
  const ok = { grantedAmount: 1, retryAfterMs: 90_000 };
  const told = await decisionOf({ a: refuse(1500), b: refuse(200), ok });
  t.is(told.retryAfterMs, 1500);
  t.is(told.status.message, 'Quota is exhausted for: a,b');
  t.false('retryAfterMs' in (await decisionOf({ a: refuse(), b: refuse(), ok })), 'nobody told');
  t.false('retryAfterMs' in (await decisionOf({ a: ok, b: ok, ok })), 'nobody refused');
});

test('a caller’s deduplication id is the id of the call; without it the client makes one for each call', (t) => {
  const { server, check } = setUp({ disableQuotaCache: true });
  void check({ a: 1 }, { deduplicationId: 'request-7' });
  void check({ a: 1 }, { deduplicationId: 'request-7' });
  void check({ a: 1 });
  void check({ a: 1 });
  const ids = server.checks.map(({ request }) => request.deduplicationId);
  t.deepEqual(ids.slice(0, 2), ['request-7', 'request-7']);
  t.is(new Set(ids).size, 3);
});

test('a call that fetches units ahead is not named by the request that caused it', async (t) => {
  const { server, check, answer } = setUp();
  void check({ a: 1 }, { deduplicationId: 'request-7' });
  t.is(server.checks[0]?.request.deduplicationId, 'request-7', 'asks for this request alone');
  await answer(0, { a: 1 });
  void check({ a: 1 }, { deduplicationId: 'request-7' });
  t.deepEqual(server.checks[1]?.request.quotas.get('a'), { amount: 10, bestEffort: true });
  t.not(server.checks[1]?.request.deduplicationId, 'request-7');
});

test('a call that a request waits for, and that fetches units ahead as well, is not named by the request', async (t) => {
  const { clock, server, check, answer } = setUp();
  void check({ a: 1 });
  await answer(0, { a: 1 });
  void check({ a: 1 });
  // A partial grant: from now on nothing is lent, and after 500 ms the next request asks and waits.
  await answer(1, { a: 1 });
  clock.advance(500);
  void check({ a: 1 }, { deduplicationId: 'request-7' });
  t.deepEqual(server.checks[2]?.request.quotas.get('a'), { amount: 10, bestEffort: true });
  t.not(server.checks[2]?.request.deduplicationId, 'request-7');
});

test('a denied check comes before an exhausted quota', async (t) => {
  const { check, answer } = setUp();
  const decision = check({ a: 1 });
  await answer(0, { a: 0 }, deny('no'));
  t.is((await decision).status.message, 'no');
  t.deepEqual((await decision).exhaustedQuotas, []);
});

test('charges of one quota by several rules add up', (t) => {
  const { server, client } = setUp();
  const quotas = [1, 5].map((charge) => ({ quota: 'a', charge }));
  void client.check({ attributes, quotas });
  t.deepEqual(server.checks[0]?.request.quotas.get('a'), { amount: 6, bestEffort: false });
});

test('a quota that the answer leaves out counts as granted', async (t) => {
  const { check, answer } = setUp();
  const decision = check({ a: 1 });
  await answer(0);
  t.is((await decision).status.code, 'OK');
});

test('a server that denies without deciding about quotas grants nothing', async (t) => {
  const { server, check, answer } = setUp();
  void check({ a: 1 });
  await answer(0, { a: 1 }, allow({ validUseCount: 0 }));
  const denied = check({ a: 1 });
  await answer(1, {}, deny('no', { validUseCount: 0 }));
  t.is((await denied).status.message, 'no');
  void check({ a: 1 });
  t.deepEqual(server.checks[2]?.request.quotas.get('a'), { amount: 10, bestEffort: true });
});

test('units that were lent to a denied request are taken back', async (t) => {
  const { check, answer } = setUp();
  void check({ a: 1 });
  await answer(0, { a: 1 }, allow({ validUseCount: 0 }));
  void check({ a: 2 });
  await answer(1, {}, deny('no', { validUseCount: 0 }));
  const lent = check({ a: 1 });
  await answer(2, { a: 0 });
  t.is((await lent).status.code, 'OK');
  t.is((await check({ a: 1 })).status.code, 'RESOURCE_EXHAUSTED');
});

test('units of one quota are released when another quota refuses the request', async (t) => {
  const { server, check, answer } = setUp();
  void check({ a: 1, b: 1 });
  await answer(0, { a: 1, b: 1 });
  await check({ a: 1, b: 1 });
  await answer(1, { a: 9, b: 0 });
  for (let n = 0; n < 50; n++) t.is((await check({ a: 4, b: 1 })).status.message, 'Quota is exhausted for: b');
  t.is((await check({ a: 9 })).status.code, 'RESOURCE_EXHAUSTED');
  t.is((await check({ a: 8 })).status.code, 'OK');
  t.is(server.checks.length, 2);
});

test('a quota that the client knows to refuse keeps the server from charging the others', async (t) => {
  const { server, check, answer } = setUp();
  void check({ a: 1 });
  await answer(0, { a: 1 });
  await check({ a: 1 });
  await answer(1, { a: 0 });
  t.is((await check({ a: 1, unknown: 1 })).status.message, 'Quota is exhausted for: a');
  t.is(server.checks.length, 2);
});

test('when the server cannot be asked, FAIL_OPEN, the mesh-level default, allows the request', async (t) => {
  const { server, check } = setUp();
  const decision = check({ a: 1 });
  server.checks[0]?.fail(sendError());
  t.deepEqual((await decision).status, { code: 'OK', message: '' });
});

test('when the server cannot be asked, FAIL_CLOSE rejects the request, with the status of the transport', async (t) => {
  const { server, check } = setUp({ networkFailPolicy: { policy: 'FAIL_CLOSE' } });
  const first = check({ a: 1 });
  server.checks[0]?.fail(sendError('no route'));
  t.deepEqual((await first).status, { code: 'UNAVAILABLE', message: 'no route' });
  const second = check();
  server.checks[1]?.fail(new PolicyTransportError('timeout', 'late', { code: 'DEADLINE_EXCEEDED' }));
  t.is((await second).status.code, 'DEADLINE_EXCEEDED');
});

test('a failed call is not cached: the next request asks again', async (t) => {
  const { server, check } = setUp();
  const decision = check();
  server.checks[0]?.fail(sendError());
  await decision;
  void check();
  t.is(server.checks.length, 2);
});

test('under FAIL_OPEN a background prefetch that fails counts as granted', async (t) => {
  const { server, check, answer } = setUp();
  void check({ a: 1 });
  await answer(0, { a: 1 });
  t.is((await check({ a: 1 })).status.code, 'OK');
  server.checks[1]?.fail(sendError());
  await settled();
  t.is((await check({ a: 9 })).status.code, 'OK');
});

test('under FAIL_CLOSE only granted units pass without the policy server; later requests are UNAVAILABLE', async (t) => {
  const { server, check, answer } = setUp({ networkFailPolicy: { policy: 'FAIL_CLOSE' } });
  void check({ a: 1 });
  await answer(0, { a: 1 });
  void check({ a: 1 });
  await answer(1, { a: 10 });
  // Requests come while calls to the server are under way, and all of these fail in the end.
  const decisions = Array.from({ length: 200 }, () => check({ a: 1 }));
  for (const call of server.checks) call.fail(sendError());
  const codes = (await Promise.all(decisions)).map(({ status }) => status.code);
  t.is(codes.filter((code) => code === 'OK').length, 9);
  t.true(codes.slice(9).every((code) => code === 'UNAVAILABLE'));

  const back = check({ a: 1 });
  await answer(server.checks.length - 1, { a: 10 });
  t.is((await back).status.code, 'OK', 'a server that is back is asked by the next request');
});

test('under FAIL_CLOSE a quota that the server cannot count refuses with UNAVAILABLE and names it', async (t) => {
  const { server, check } = setUp({ networkFailPolicy: { policy: 'FAIL_CLOSE' } });
  for (const uncounted of [
    new Map([['a', { grantedAmount: 0, status: { code: 'UNAVAILABLE', message: '' } }]] as const),
    new Map([['a', { grantedAmount: -1 }]]),
    new Map<string, QuotaResult>(),
  ]) {
    const decision = check({ a: 1 });
    server.checks.at(-1)?.answer({ precondition: allow({ validUseCount: 0 }), quotas: uncounted });
    const { status, exhaustedQuotas } = await decision;
    t.deepEqual(status, { code: 'UNAVAILABLE', message: 'Quota could not be counted for: a' });
    t.deepEqual(exhaustedQuotas, []);
  }
});

test('units that FAIL_OPEN invents are not used by requests under FAIL_CLOSE', async (t) => {
  const { server, check, answer } = setUp();
  const closed = { service: { networkFailPolicy: { policy: 'FAIL_CLOSE' } } } as const;
  void check({ a: 1 });
  await answer(0, { a: 1 });
  t.is((await check({ a: 1 })).status.code, 'OK');
  server.checks[1]?.fail(sendError());
  await settled();
  const decision = check({ a: 1 }, closed);
  server.checks[2]?.fail(sendError());
  t.is((await decision).status.code, 'UNAVAILABLE');
  t.is((await check({ a: 1 })).status.code, 'OK');
});

test('disableCheckCache: every request asks', async (t) => {
  const { server, check, answer } = setUp({ disableCheckCache: true });
  void check();
  await answer(0);
  void check();
  t.is(server.checks.length, 2);
});

test('disableQuotaCache: every charge is asked for, exactly', async (t) => {
  const { server, check, answer } = setUp({ disableQuotaCache: true });
  let passed = 0;
  let left = 10;
  for (let n = 0; n < 50; n++) {
    const decision = check({ a: 1 });
    await answer(n, { a: left > 0 ? 1 : 0 });
    left--;
    if ((await decision).status.code === 'OK') passed++;
  }
  t.is(passed, 10);
  t.is(server.checks.length, 50);
});

test('an answer without a precondition denies: the server was reached, and did not allow', async (t) => {
  const { server, check } = setUp();
  const decision = check();
  server.checks[0]?.answer({ quotas: new Map() });
  t.is((await decision).status.code, 'INTERNAL');
});

test('a request that ends before its check is cancelled; one that charges quotas is finished', async (t) => {
  const { server, check, answer } = setUp();
  const cancel = new AbortController();
  const plain = check({}, { cancel: cancel.signal });
  const charging = check({ a: 1 }, { cancel: cancel.signal });
  cancel.abort();
  t.is((await plain).status.code, 'CANCELLED');
  t.deepEqual(
    server.checks.map(({ options }) => options.signal.aborted),
    [true, false],
  );
  await answer(1, { a: 1 });
  t.is((await charging).status.code, 'OK');
});
