import test from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import type { QuotaSpec } from '../../../src/config/policy/quota-spec.js';
import { DEFAULT_REGEX_LIMITS } from '../../../src/config/regex/regex-limits.js';
import { createPacedWork } from '../../../src/policy/server/paced-work.js';

import { createRig, httpCheck, type RigOptions } from './policy-server-rig.js';

const BOOKS = 'books.shop.svc.cluster.local';

const MIB = 1024 * 1024;

/** Rules that charge a quota of their own each, for paths that an expression of about 300 KiB matches. */
function largeRules(count: number, from = 0): QuotaSpec['rules'] {
  return Array.from({ length: count }, (_, index) => ({
    match: [{ clause: { 'request.path': { regex: `/.{0,500}x${from + index}` } } }],
    quotas: [{ quota: `q${from + index}`, charge: 1 }],
  }));
}

const ALL: QuotaSpec['rules'][number] = { match: [], quotas: [{ quota: 'all', charge: 1 }] };

function rigWith(
  rules: QuotaSpec['rules'],
  options: RigOptions = {},
  policy: 'FAIL_OPEN' | 'FAIL_CLOSE' = 'FAIL_OPEN',
) {
  return createRig({
    ...options,
    services: {
      [BOOKS]: {
        quotaSpec: [{ rules }],
        networkFailPolicy: { policy, maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' },
      },
    },
  });
}

const limits = { ...DEFAULT_REGEX_LIMITS, serviceBytes: 2 * MIB };

test('rules above the expression budget of a service are left out under FAIL_OPEN, with a metric and a log line', async (t) => {
  const rig = rigWith([...largeRules(20), ALL], { regexLimits: limits });
  const { status } = await rig.ask(httpCheck({ path: '/x0' }), { service: BOOKS });
  t.is(status.code, 0);
  t.deepEqual([...(rig.transport.checks[0]?.quotas.keys() ?? [])].sort(), ['all', 'q0']);
  const line = rig.log.find(({ message }) => message === 'unusable part of a policy left out');
  t.regex(
    String(line?.fields['problem']),
    /^brings the regular expressions of all specs of the service to \d+ KiB .* more than their 2048 KiB: bind fewer .* NAV_REGEX_SERVICE_BYTES$/,
  );
  t.true(rig.log.some(({ message }) => message === 'further unusable parts of a policy left out'));
  t.regex((await rig.series('policy_server_policy_parts_left_out_total{scope="service"}')) ?? '', / 1\d$/);
  t.regex((await rig.series('policy_server_undecided_checks_total{protocol="http"}')) ?? '', / 1$/);
});

test('under FAIL_CLOSE a request is refused for which a rule beyond the budget might charge, and no other', async (t) => {
  const getOnly = largeRules(1, 30).map((rule) => ({
    ...rule,
    match: rule.match.map(({ clause }) => ({ clause: { ...clause, 'request.method': { exact: 'DELETE' } } })),
  }));
  const rig = rigWith([...largeRules(6), ...getOnly], { regexLimits: limits }, 'FAIL_CLOSE');
  const get = await rig.ask(httpCheck({ path: '/x0', method: 'GET' }), { service: BOOKS });
  t.is(get.status.code, 0);
  t.deepEqual([...(rig.transport.checks[0]?.quotas.keys() ?? [])], ['q0']);
  const remove = await rig.ask(httpCheck({ path: '/x0', method: 'DELETE' }), { service: BOOKS });
  t.is(remove.status.code, 14);
  t.regex(remove.status.message, /A rule of the policy cannot be applied to this request/);
});

test('a text that would take too long to match is undecided, not unmatched', async (t) => {
  const open = rigWith([...largeRules(12), ALL]);
  const path = `/${'y'.repeat(30_000)}`;
  t.is((await open.ask(httpCheck({ path }), { service: BOOKS })).status.code, 0);
  t.deepEqual([...(open.transport.checks[0]?.quotas.keys() ?? [])], ['all']);
  const closed = rigWith([...largeRules(12), ALL], {}, 'FAIL_CLOSE');
  t.is((await closed.ask(httpCheck({ path }), { service: BOOKS })).status.code, 14);
  t.is((await closed.ask(httpCheck({ path: '/short' }), { service: BOOKS })).status.code, 0);
});

test('services with the same specs share their programs', async (t) => {
  const rules = largeRules(3);
  const names = Array.from({ length: 10 }, (_, index) => `s${index}.shop.svc.cluster.local`);
  const rig = createRig({ services: Object.fromEntries(names.map((name) => [name, { quotaSpec: [{ rules }] }])) });
  for (const service of names) await rig.ask(httpCheck(), { service });
  t.is(await rig.series('policy_server_regex_programs'), 'policy_server_regex_programs 1');
});

test('programs beyond their memory are evicted, and compiled again when they are needed', async (t) => {
  const names = Array.from({ length: 12 }, (_, index) => `s${index}.shop.svc.cluster.local`);
  const rig = createRig({
    regexLimits: { ...DEFAULT_REGEX_LIMITS, programsBytes: 2 * MIB },
    services: Object.fromEntries(names.map((name, index) => [name, { quotaSpec: [{ rules: largeRules(1, index) }] }])),
  });
  for (let round = 0; round < 2; round++) {
    for (const [index, service] of names.entries()) {
      await rig.ask(httpCheck({ path: `/x${index}` }), { service });
      t.deepEqual([...(rig.transport.checks.at(-1)?.quotas.keys() ?? [])], [`q${index}`]);
      const bytes = Number((await rig.series('policy_server_regex_bytes'))?.split(' ')[1]);
      t.true(bytes <= 2 * MIB, `${bytes}`);
    }
  }
  t.true(Number((await rig.series('policy_server_regex_evictions_total'))?.split(' ')[1]) >= 12);
});

test('work of one owner lets that of others, and everything else, go on in between', async (t) => {
  const order: string[] = [];
  const work = createPacedWork({
    clock: systemClock,
    yieldTurn: () => new Promise((resolve) => setImmediate(resolve)),
    sliceMs: 1,
  });
  function* steps(name: string, count: number) {
    for (let index = 0; index < count; index++) {
      const untilMs = performance.now() + 2;
      while (performance.now() < untilMs);
      order.push(name);
      yield;
    }
    return name;
  }
  const large = work.run('large', steps('large', 20));
  const other = work.run('large', steps('large too', 5));
  const small = work.run('small', steps('small', 1));
  t.is(await small, 'small');
  t.true(order.length < 6, order.join());
  t.deepEqual(await Promise.all([large, other]), ['large', 'large too']);
  t.is(order.length, 26);
});

test('a failure of one work is that of its caller alone', async (t) => {
  const work = createPacedWork({ clock: systemClock, yieldTurn: () => Promise.resolve() });
  function* failing(): Generator<void, number, void> {
    yield;
    throw new Error('no');
  }
  function* fine(): Generator<void, number, void> {
    yield;
    return 1;
  }
  void work.run('a', fine());
  const [failed, done] = await Promise.allSettled([work.run('a', failing()), work.run('a', fine())]);
  t.is(failed?.status, 'rejected');
  t.deepEqual(done, { status: 'fulfilled', value: 1 });
  t.throws(() => createPacedWork({ clock: systemClock, yieldTurn: () => Promise.resolve() }).run('a', failing()), {
    message: 'no',
  });
});
