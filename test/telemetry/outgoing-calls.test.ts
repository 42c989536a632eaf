import test from 'ava';
import { Registry } from 'prom-client';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { createOutgoingCalls } from '../../src/telemetry/outgoing-calls.js';
import { createFakeClock } from '../support/fake-clock.js';

function rig() {
  const registry = new Registry();
  const clock = createFakeClock();
  const calls = createOutgoingCalls(createMetrics(registry), clock);
  const total = async (name: string): Promise<number> => {
    const metric = await registry.getSingleMetric(name)?.get();
    return metric?.values.find(({ labels }) => labels['request_type'] === 'jwks')?.value ?? 0;
  };
  const refuse = () => calls.run('jwks', 'https://issuer/keys', () => Promise.reject(new Error('no')));
  return { clock, calls, total, refuse };
}

test('each outgoing call counts with its time, in milliseconds', async (t) => {
  const { clock, calls, total } = rig();
  const answer = await calls.run('jwks', 'https://issuer/keys', async () => {
    clock.advance(30);
    return 'keys';
  });
  t.is(answer, 'keys');
  t.is(await total('num_outgoing_requests'), 1);
  t.is(await total('outgoing_latency'), 30);
  t.is(await total('num_failed_outgoing_requests'), 0);
});

test('a failed call counts, and each call that repeats it is a retry until one succeeds', async (t) => {
  const { calls, total, refuse } = rig();
  await t.throwsAsync(refuse(), { message: 'no' });
  t.is(await total('num_outgoing_retries'), 0);
  await t.throwsAsync(refuse());
  await calls.run('jwks', 'https://issuer/keys', async () => 'keys');
  await calls.run('jwks', 'https://issuer/keys', async () => 'keys');
  t.is(await total('num_outgoing_requests'), 4);
  t.is(await total('num_failed_outgoing_requests'), 2);
  t.is(await total('num_outgoing_retries'), 2);
});

test('a message that is sent again is a retry, and an equal one is not', async (t) => {
  const { calls, total } = rig();
  const message = { a: 1 };
  const isFailure = (result: string): boolean => result === 'busy';
  await calls.run('jwks', message, async () => 'busy', isFailure);
  await calls.run('jwks', { a: 1 }, async () => 'fine', isFailure);
  t.is(await total('num_outgoing_retries'), 0);
  await calls.run('jwks', message, async () => 'fine', isFailure);
  t.is(await total('num_outgoing_retries'), 1);
  t.is(await total('num_failed_outgoing_requests'), 1);
});

test('failed URLs take bounded memory: the one that failed first is forgotten', async (t) => {
  const { calls, total, refuse } = rig();
  await t.throwsAsync(refuse());
  for (let index = 0; index < 1000; index++) {
    await t.throwsAsync(calls.run('trust', `https://issuer/${index}`, () => Promise.reject(new Error('no'))));
  }
  await t.throwsAsync(refuse());
  t.is(await total('num_outgoing_retries'), 0);
});
