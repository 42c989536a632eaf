import test from 'ava';
import { bagOf, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import type { ClientCounter, ClientStatisticsSnapshot } from '../../../src/policy/client/client-statistics.js';
import { createPolicyClient } from '../../../src/policy/client/policy-client.js';
import type { TransportConfig } from '../../../src/policy/client/transport-config.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { allow, createFakePolicyServer, deny, sendError, settled } from '../../support/policy-server.js';

const attributes = bagOf(EMPTY_LAYER);
const A_ONCE = [{ quota: 'a', charge: 1 }];

function setUp(config: TransportConfig = {}) {
  const clock = createFakeClock();
  const server = createFakePolicyServer();
  const published: ClientStatisticsSnapshot[] = [];
  const client = createPolicyClient(config, {
    transport: server,
    clock,
    random: () => 0,
    clientId: 'c',
    publishStatistics: (snapshot) => published.push(snapshot),
  });
  return { clock, server, client, published };
}

/** The counters that are not 0. */
function counted(snapshot: ClientStatisticsSnapshot): Partial<Record<ClientCounter, number>> {
  return Object.fromEntries(Object.entries(snapshot).filter(([, value]) => value !== 0));
}

test('disableCheckCalls: the request is allowed and Check is not called', async (t) => {
  const { server, client } = setUp();
  const decision = await client.check({ attributes, quotas: A_ONCE, service: { disableCheckCalls: true } });
  t.is(decision.status.code, 'OK');
  t.is(server.checks.length, 0);
  t.is(client.statistics().total_check_calls, 0);
});

test('disableReportCalls: Report is not called', (t) => {
  const { server, client } = setUp({ disableReportBatch: true });
  client.report({ attributes, service: { disableReportCalls: true } });
  client.report({ attributes, service: {} });
  t.is(server.reports.length, 1);
});

test('networkFailPolicy: the policy of the service decides, others keep the policy of the mesh', async (t) => {
  const { server, client } = setUp({ networkFailPolicy: { policy: 'FAIL_CLOSE' } });
  const open = client.check({ attributes, service: { networkFailPolicy: { policy: 'FAIL_OPEN' } } });
  const closed = client.check({ attributes, service: {} });
  for (const call of server.checks) call.fail(sendError());
  t.is((await open).status.code, 'OK');
  t.is((await closed).status.code, 'UNAVAILABLE');
});

test('networkFailPolicy: the retries of the mesh are made for services without a policy', async (t) => {
  const { clock, server, client } = setUp({ networkFailPolicy: { maxRetry: 1, baseRetryWait: '1s' } });
  void client.check({ attributes });
  server.checks[0]?.fail(sendError());
  await settled();
  clock.advance(1000);
  await settled();
  t.is(server.checks.length, 2);
});

test('statsUpdateInterval: counters are published every 10 s unless given, and when the client closes', async (t) => {
  for (const [statsUpdateInterval, intervalMs] of [
    ['10s', 10_000],
    ['0s', 10_000],
    ['3s', 3000],
  ] as const) {
    const { clock, client, published } = setUp({ statsUpdateInterval });
    clock.advance(intervalMs - 1);
    t.is(published.length, 0);
    clock.advance(1);
    t.is(published.length, 1);
    clock.advance(intervalMs * 2);
    t.is(published.length, 3);
    await client.close();
    t.is(published.length, 4);
    t.is(clock.timers, 0);
  }
});

test('a snapshot of the counters does not change any more', async (t) => {
  const { client } = setUp();
  const before = client.statistics();
  void client.check({ attributes });
  t.is(before.total_check_calls, 0);
  t.is(client.statistics().total_check_calls, 1);
});

test('every client counter has its name', (t) => {
  const eight = (kind: string) => [
    `total_${kind}_calls`,
    ...['hits', 'misses', 'hit_accepts', 'hit_denies'].map((end) => `total_${kind}_cache_${end}`),
    ...['calls', 'accepts', 'denies'].map((end) => `total_remote_${kind}_${end}`),
  ];
  const failures = ['successes', 'timeouts', 'send_errors', 'other_errors'];
  const names = [
    ...eight('check'),
    ...eight('quota'),
    'total_remote_quota_prefetch_calls',
    'total_remote_calls',
    ...[...failures, 'retries', 'cancellations'].map((end) => `total_remote_call_${end}`),
    'total_report_calls',
    ...['calls', ...failures].map((end) => `total_remote_report_${end}`),
  ];
  t.deepEqual(Object.keys(setUp().client.statistics()).sort(), names.sort());
});

test('checks are counted by where they were answered and how', async (t) => {
  const { server, client } = setUp();
  const first = client.check({ attributes });
  server.checks[0]?.answer({ precondition: allow({ validUseCount: 1 }), quotas: new Map() });
  await first;
  await client.check({ attributes });
  const third = client.check({ attributes });
  server.checks[1]?.answer({ precondition: deny('no'), quotas: new Map() });
  await third;
  await client.check({ attributes });
  t.deepEqual(counted(client.statistics()), {
    total_check_calls: 4,
    total_check_cache_hits: 2,
    total_check_cache_misses: 2,
    total_check_cache_hit_accepts: 1,
    total_check_cache_hit_denies: 1,
    total_remote_check_calls: 2,
    total_remote_check_accepts: 1,
    total_remote_check_denies: 1,
    total_remote_calls: 2,
    total_remote_call_successes: 2,
  });
});

test('quotas are counted by where they were answered and how', async (t) => {
  const { server, client } = setUp();
  const answer = (call: number, grantedAmount: number) => {
    const quotas = new Map([['a', { grantedAmount, referencedAttributes: [] }]]);
    server.checks[call]?.answer({ precondition: allow(), quotas });
    return settled();
  };
  const check = () => client.check({ attributes, quotas: A_ONCE });
  // Both ask before the server has said what the quota depends on.
  const asked = [check(), check()];
  await answer(0, 1);
  await answer(1, 0);
  await Promise.all(asked);
  await check();
  await answer(2, 0);
  await check();
  const counters = client.statistics();
  const quota = Object.entries(counted(counters)).filter(([name]) => name.includes('quota'));
  t.deepEqual(Object.fromEntries(quota), {
    total_quota_calls: 4,
    total_quota_cache_hits: 2,
    total_quota_cache_misses: 2,
    total_quota_cache_hit_accepts: 1,
    total_quota_cache_hit_denies: 1,
    total_remote_quota_calls: 2,
    total_remote_quota_accepts: 1,
    total_remote_quota_denies: 1,
    total_remote_quota_prefetch_calls: 1,
  });
});

test('a duration that cannot be read is refused when the client is made', (t) => {
  t.throws(() => setUp({ reportBatchMaxTime: 'soon' }), { code: 'INVALID_DURATION' });
});
