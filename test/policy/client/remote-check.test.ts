import test from 'ava';
import { bagOf, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import { createClientStatistics } from '../../../src/policy/client/client-statistics.js';
import { PolicyTransportError } from '../../../src/policy/client/policy-transport.js';
import { createRemoteCheck } from '../../../src/policy/client/remote-check.js';
import { resolveNetworkFailPolicy } from '../../../src/policy/client/transport-config.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { allow, createFakePolicyServer, sendError, settled } from '../../support/policy-server.js';

const REQUEST = { attributes: bagOf(EMPTY_LAYER), quotas: new Map() };
const ANSWER = { precondition: allow(), quotas: new Map() };

function setUp() {
  const clock = createFakeClock();
  const server = createFakePolicyServer();
  const statistics = createClientStatistics();
  const check = createRemoteCheck({ transport: server, clock, random: () => 0, clientId: 'client-', statistics });
  return { clock, server, statistics, check };
}

test('maxRetry: transport errors are retried at most maxRetry times', async (t) => {
  const { clock, server, statistics, check } = setUp();
  const outcome = check(REQUEST, resolveNetworkFailPolicy({ maxRetry: 2 }));
  for (let attempt = 0; attempt < 3; attempt++) {
    t.is(server.checks.length, attempt + 1);
    server.checks[attempt]?.fail(sendError(`attempt ${attempt}`));
    await settled();
    clock.advance(80);
    await settled();
  }
  const { type, error } = (await outcome) as { type: string; error: Error };
  t.is(type, 'failed');
  t.is(error.message, 'attempt 2');
  t.is(server.checks.length, 3);
  t.is(statistics.snapshot().total_remote_call_retries, 2);
  t.is(statistics.snapshot().total_remote_call_send_errors, 3);
  t.is(statistics.snapshot().total_remote_calls, 1);
  t.is(clock.timers, 0);
});

test('maxRetry: without it a transport error is final', async (t) => {
  const { clock, server, check } = setUp();
  const outcome = check(REQUEST, resolveNetworkFailPolicy(undefined));
  server.checks[0]?.fail(sendError());
  t.is((await outcome).type, 'failed');
  t.is(clock.timers, 0);
});

test('a retry is made only after the wait, and may succeed', async (t) => {
  const { clock, server, statistics, check } = setUp();
  const outcome = check(REQUEST, resolveNetworkFailPolicy({ maxRetry: 1, baseRetryWait: '300ms' }));
  server.checks[0]?.fail(sendError());
  await settled();
  clock.advance(299);
  await settled();
  t.is(server.checks.length, 1);
  clock.advance(1);
  await settled();
  server.checks[1]?.answer(ANSWER);
  t.deepEqual(await outcome, { type: 'answered', answer: ANSWER });
  t.is(statistics.snapshot().total_remote_call_successes, 1);
});

test('the deduplication id is the same across retries and differs between calls', async (t) => {
  const { clock, server, check } = setUp();
  void check(REQUEST, resolveNetworkFailPolicy({ maxRetry: 1 }));
  server.checks[0]?.fail(sendError());
  await settled();
  clock.advance(80);
  await settled();
  void check(REQUEST, resolveNetworkFailPolicy(undefined));
  t.deepEqual(
    server.checks.map(({ request }) => request.deduplicationId),
    ['client-0', 'client-0', 'client-1'],
  );
});

test('each attempt times out after 5 s even when the transport never settles, and is aborted', async (t) => {
  const { clock, server, statistics, check } = setUp();
  const outcome = check(REQUEST, resolveNetworkFailPolicy({ maxRetry: 1 }));
  t.is(server.checks[0]?.options.timeoutMs, 5000);
  clock.advance(4999);
  await settled();
  t.false(server.checks[0]?.options.signal.aborted);
  clock.advance(1);
  await settled();
  t.true(server.checks[0]?.options.signal.aborted);
  clock.advance(80);
  await settled();
  clock.advance(5000);
  const failed = (await outcome) as { error: PolicyTransportError };
  t.is(failed.error.failure, 'timeout');
  t.is(failed.error.code, 'UNAVAILABLE');
  t.is(statistics.snapshot().total_remote_call_timeouts, 2);
});

test('anything else that a transport throws counts as other error and keeps its cause', async (t) => {
  const { server, statistics, check } = setUp();
  const outcome = check(REQUEST, resolveNetworkFailPolicy(undefined));
  const cause = new TypeError('bad frame');
  server.checks[0]?.fail(cause);
  const { error } = (await outcome) as { error: PolicyTransportError };
  t.is(error.failure, 'other');
  t.is(error.cause, cause);
  t.is(error.message, 'The call to the policy server failed: bad frame');
  t.is(statistics.snapshot().total_remote_call_other_errors, 1);
});

test('a transport that throws instead of rejecting is a failed call', async (t) => {
  const { clock, statistics } = setUp();
  const transport = {
    ...createFakePolicyServer(),
    check: () => {
      throw new Error('not connected');
    },
  };
  const check = createRemoteCheck({ transport, clock, random: () => 0, clientId: '', statistics });
  t.is((await check(REQUEST, resolveNetworkFailPolicy(undefined))).type, 'failed');
});

test('a cancelled call is aborted, not retried, and counted once', async (t) => {
  const { clock, server, statistics, check } = setUp();
  const cancel = new AbortController();
  const outcome = check(REQUEST, resolveNetworkFailPolicy({ maxRetry: 3 }), cancel.signal);
  cancel.abort();
  t.is((await outcome).type, 'cancelled');
  t.true(server.checks[0]?.options.signal.aborted);
  t.is(server.checks.length, 1);
  t.is(statistics.snapshot().total_remote_call_cancellations, 1);
  t.is(clock.timers, 0);
});

test('a call that is cancelled between attempts makes no further attempt', async (t) => {
  const { clock, server, statistics, check } = setUp();
  const cancel = new AbortController();
  const outcome = check(REQUEST, resolveNetworkFailPolicy({ maxRetry: 3 }), cancel.signal);
  server.checks[0]?.fail(sendError());
  await settled();
  t.is(clock.timers, 1);
  cancel.abort();
  t.is((await outcome).type, 'cancelled');
  t.is(clock.timers, 0);
  t.is(server.checks.length, 1);
  t.is(statistics.snapshot().total_remote_call_retries, 0);
});

test('an error that calls itself OK does not open a closed policy', (t) => {
  t.is(new PolicyTransportError('other', 'odd', { code: 'OK' }).code, 'UNAVAILABLE');
  t.is(new PolicyTransportError('timeout', 'late', { code: 'DEADLINE_EXCEEDED' }).code, 'DEADLINE_EXCEEDED');
});

test('a request’s own deduplication id is the same over retries', async (t) => {
  const { clock, server, check } = setUp();
  void check({ ...REQUEST, deduplicationId: 'request-7' }, resolveNetworkFailPolicy({ maxRetry: 1 }));
  server.checks[0]?.fail(sendError());
  await settled();
  clock.advance(80);
  await settled();
  t.deepEqual(
    server.checks.map(({ request }) => request.deduplicationId),
    ['request-7', 'request-7'],
  );
});
