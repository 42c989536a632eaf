import test from 'ava';
import type { Clock } from '../../../src/base/clock.js';
import { errorText } from '../../../src/base/error-text.js';
import { bagOf, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import { createPolicyClient, type PolicyClientDependencies } from '../../../src/policy/client/policy-client.js';
import type { CheckResponse, PolicyTransport } from '../../../src/policy/client/policy-transport.js';
import { startTcpReports } from '../../../src/policy/client/tcp-reports.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { allow, settled } from '../../support/policy-server.js';

const attributes = bagOf(EMPTY_LAYER);
const A_ONCE = [{ quota: 'a', charge: 1 }];
const POLICIES = [
  ['FAIL_OPEN', 'OK'],
  ['FAIL_CLOSE', 'UNAVAILABLE'],
] as const;

// AVA fails the file for a rejection that is not handled: each test below is one for background work as well.

function setUp(dependencies: Partial<PolicyClientDependencies>, policy: 'FAIL_OPEN' | 'FAIL_CLOSE' = 'FAIL_OPEN') {
  const clock = createFakeClock();
  const errors: string[] = [];
  const client = createPolicyClient(
    { networkFailPolicy: { policy, maxRetry: 1 } },
    {
      transport: { check: () => new Promise(() => undefined), report: () => new Promise(() => undefined) },
      clock,
      random: () => 0,
      clientId: 'c',
      onError: (error, part) => {
        errors.push(`${part}: ${errorText(error)}`);
        throw new Error('the embedder is told badly as well');
      },
      ...dependencies,
    },
  );
  /** Decides, with the wait of the retry. */
  const check = async () => {
    const decision = client.check({ attributes, quotas: A_ONCE });
    await settled();
    clock.advance(80);
    return decision;
  };
  return { client, clock, errors, check };
}

const answering = (answer: unknown): PolicyTransport => ({
  check: () => answer as CheckResponse,
  report: () => answer as Promise<void>,
});
const throwing = (message: string) => (): never => {
  throw new Error(message);
};

const thenable: object = Object.defineProperty({}, 'then', {
  value: (_: unknown, reject: (error: Error) => void) => reject(new Error('gone')),
});

const NO_RESPONSES: Readonly<Record<string, unknown>> = {
  '{}': {},
  undefined,
  null: null,
  'a text': 'OK',
  'a precondition without a status': { precondition: {}, quotas: new Map() },
  'a status with a code of its own': {
    precondition: allow({ status: { code: 'FINE' as 'OK', message: '' } }),
    quotas: new Map(),
  },
  'a quota that is null': { precondition: allow(), quotas: new Map([['a', null]]) },
  'a quota without an amount': { precondition: allow(), quotas: new Map([['a', {}]]) },
  'references that are no list': {
    precondition: { ...allow(), referencedAttributes: 'all' },
    quotas: new Map([['a', { grantedAmount: 1 }]]),
  },
  'a getter that throws': Object.defineProperty({}, 'quotas', { get: throwing('no quotas') }),
  'a promise of another library that rejects': thenable,
};

for (const [name, answer] of Object.entries(NO_RESPONSES)) {
  for (const [policy, code] of POLICIES) {
    for (const isPromised of [false, true]) {
      const how = isPromised ? 'a promise of ' : '';
      test(`a transport that answers with ${how}${name} is a failed call, which ${policy} decides`, async (t) => {
        const transport = answering(isPromised ? Promise.resolve(answer) : answer);
        const { client, check } = setUp({ transport }, policy);
        t.is((await check()).status.code, code);
        t.is(client.statistics().total_remote_call_other_errors, 2, 'it was asked again');
        client.report({ attributes });
        await client.close();
      });
    }
  }
}

test('a background prefetch that is answered with {} rejects nothing and is a failed call', async (t) => {
  let calls = 0;
  const transport: PolicyTransport = {
    check: async () => {
      const quotas = new Map([['a', { grantedAmount: 1, referencedAttributes: [] }]]);
      return calls++ === 0 ? { precondition: allow(), quotas } : ({} as CheckResponse);
    },
    report: async () => undefined,
  };
  const { client, check, clock } = setUp({ transport });
  await check();
  t.is((await check()).status.code, 'OK');
  await settled();
  clock.advance(80);
  await settled();
  t.is(client.statistics().total_remote_quota_prefetch_calls, 1);
  t.is(client.statistics().total_remote_call_other_errors, 2);
});

for (const [name, publishStatistics] of [
  ['throws', throwing('full')],
  ['rejects', () => Promise.reject(new Error('full'))],
] as const) {
  test(`a publishStatistics that ${name} ends nothing, reaches onError, and is called again`, async (t) => {
    const { client, clock, errors } = setUp({ publishStatistics });
    clock.advance(10_000);
    clock.advance(10_000);
    await client.close();
    await settled();
    t.deepEqual(errors, Array(3).fill('publishStatistics: full'));
  });
}

/** The fake clock, of which one function throws. */
function brokenClock(name: keyof Clock): Clock {
  return { ...createFakeClock(), [name]: throwing(`no ${name}`) };
}

for (const name of ['monotonicMs', 'schedule', 'now'] as const) {
  for (const [policy, code] of POLICIES) {
    test(`a clock whose ${name} throws leaves the check to ${policy}, and ends nothing`, async (t) => {
      const transport: PolicyTransport = {
        check: () => Promise.reject(new Error('gone')),
        report: () => Promise.reject(new Error('gone')),
      };
      const publishStatistics = () => undefined;
      const { client } = setUp({ transport, clock: brokenClock(name), publishStatistics }, policy);
      // The wait of a retry cannot end with the other clocks.
      const service = { networkFailPolicy: { policy } };
      t.is((await client.check({ attributes, quotas: A_ONCE, service })).status.code, code);
      client.report({ attributes });
      await client.close();
    });
  }
}

test('a clock that cannot wait for a retry ends the retries', async (t) => {
  const transport = answering(Promise.reject(new Error('gone')));
  const { client } = setUp({ transport, clock: brokenClock('schedule') }, 'FAIL_CLOSE');
  t.is((await client.check({ attributes })).status.code, 'UNAVAILABLE');
});

test('a timer with a failing cancel, and a timer that runs after its cancel, end nothing', async (t) => {
  const clock = createFakeClock();
  const timers: (() => void)[] = [];
  const schedule: Clock['schedule'] = (_delayMs, callback) => {
    timers.push(callback);
    return throwing('cannot be cancelled');
  };
  const { client } = setUp({ clock: { ...clock, schedule }, publishStatistics: throwing('full') });
  const decision = client.check({ attributes });
  client.report({ attributes });
  for (const timer of [...timers]) t.notThrows(timer);
  // The deadline of the call, the wait of its retry, and the deadline of that.
  for (let n = 0; n < 3; n++) {
    clock.advance(5000);
    for (const timer of [...timers]) t.notThrows(timer);
    await settled();
  }
  t.is((await decision).status.code, 'OK');
});

for (const [name, random] of [
  ['throws', throwing('no entropy')],
  ['gives no number', () => Number.NaN],
  ['gives 7', () => 7],
] as const) {
  test(`a random that ${name} makes retries wait for some time within their bounds`, async (t) => {
    const transport = answering({});
    const { check } = setUp({ transport, random }, 'FAIL_CLOSE');
    t.is((await check()).status.code, 'UNAVAILABLE');
  });
}

test('a fail policy of a service with unreadable waits is applied without them, and reported', async (t) => {
  const { client, errors } = setUp({ transport: answering({}) });
  const networkFailPolicy = { policy: 'FAIL_CLOSE', baseRetryWait: 'soon' } as const;
  const { status } = await client.check({ attributes, service: { networkFailPolicy } });
  t.is(status.code, 'UNAVAILABLE');
  t.regex(errors.join(), /soon/);
});

test('attributes that throw leave the check to the fail policy', async (t) => {
  const precondition = allow({ referencedAttributes: [{ name: 'source.user', condition: 'ABSENCE' }] });
  const { client, errors } = setUp({ transport: answering({ precondition, quotas: new Map() }) }, 'FAIL_CLOSE');
  t.is((await client.check({ attributes })).status.code, 'OK');
  const hostile = new Proxy(attributes, { get: throwing('no attributes') });
  t.is((await client.check({ attributes: hostile, quotas: A_ONCE })).status.code, 'UNAVAILABLE');
  t.deepEqual(errors, ['check: no attributes']);
});

test('TCP reports continue after exceptions in a timer, which are reported', (t) => {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  let isBroken = false;
  const report = () => {
    if (isBroken) throw new Error('full');
  };
  const total = () => ({ received: 0n, sent: 0n });
  const onError = (error: unknown): void => void errors.push(error);
  startTcpReports({ clock, intervalMs: 1000, total, report, onError });
  isBroken = true;
  t.notThrows(() => clock.advance(1000));
  t.notThrows(() => clock.advance(1000));
  t.is(errors.length, 2);
});
