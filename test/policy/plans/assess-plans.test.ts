import { createHash } from 'node:crypto';
import test from 'ava';
import { inOneStep } from '../../../src/base/steps.js';
import type { ResolvedPlan } from '../../../src/config/plans/resolved-plan.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { type AttributeValue, bytesAttribute, stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { assessPlans, type PlanVerdict } from '../../../src/policy/plans/assess-plans.js';
import { type CompiledPlan, compilePlan, planConditionsOf } from '../../../src/policy/plans/compile-plan.js';
import { indexKeys } from '../../../src/policy/plans/index-keys.js';

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

const LIMIT = { name: 'm', requests: 5, per: 'minute', window: 'fixed', of: 'key', match: [] } as const;

function planOf(name: string, fields: Partial<ResolvedPlan> = {}): CompiledPlan {
  const plan: ResolvedPlan = { match: [], limits: [LIMIT], anonymous: 'never', consumers: [], ...fields };
  const { inclusion, limits } = planConditionsOf(plan);
  const conditions = {
    inclusion: inclusion && compileQuotaSpecs([inclusion]),
    limits: limits && compileQuotaSpecs([limits]),
  };
  return compilePlan(name, plan, conditions, inOneStep(indexKeys(plan.consumers)));
}

const GOLD = planOf('shop/gold', { consumers: [{ name: 'shop/acme', keys: [hashOf('gold-key'), hashOf('new-key')] }] });
const READERS = [{ clause: { 'request.method': { exact: 'GET' } } }];

function assess(
  plans: readonly CompiledPlan[],
  request: Readonly<Record<string, string | AttributeValue>> = {},
  isIncomplete = false,
): PlanVerdict {
  const layer = new Map(
    Object.entries(request).map(([name, value]) => [name, typeof value === 'string' ? stringAttribute(value) : value]),
  );
  return assessPlans({ plans, isIncomplete }, bagOf(layer));
}

/** The verdict in one line: the reason, or plan, consumer, key and limits. */
function shown(verdict: PlanVerdict): string {
  if (verdict.type !== 'admitted') return verdict.type === 'refused' ? verdict.reason : verdict.type;
  const texts = [...verdict.attributes.values()].map(({ value }) => String(value).slice(0, 32));
  return [...texts, ...verdict.charges.map(({ policy }) => policy)].join(' ');
}

const key = (value: string) => ({ 'request.api_key': value });

test('each key of a consumer gives its plan, consumer and hash, and the limits to charge', (t) => {
  t.is(shown(assess([GOLD], key('gold-key'))), `shop/gold shop/acme sha256:${hashOf('gold-key').slice(0, 25)} m`);
  t.is(shown(assess([GOLD], key('new-key'))), `shop/gold shop/acme sha256:${hashOf('new-key').slice(0, 25)} m`);
});

for (const [what, request, reason, code] of [
  ['without a key', {}, 'noKey', 'UNAUTHENTICATED'],
  ['with an unknown key', key('guess'), 'unknownKey', 'UNAUTHENTICATED'],
  ['with a key that is another one but for its case', key('GOLD-KEY'), 'unknownKey', 'UNAUTHENTICATED'],
  ['with the hash of a key', key(hashOf('gold-key')), 'unknownKey', 'UNAUTHENTICATED'],
  ['with a key of a megabyte', key('x'.repeat(1_000_000)), 'unknownKey', 'UNAUTHENTICATED'],
] as const) {
  test(`a request ${what} is refused, and no text tells which keys there are`, (t) => {
    const verdict = assess([GOLD], request);
    if (verdict.type !== 'refused') return t.fail(verdict.type);
    t.is(verdict.reason, reason);
    t.is(verdict.decision.status.code, code);
    t.deepEqual(verdict.decision.responseHeaders, { 'www-authenticate': 'ApiKey' });
    t.notRegex(verdict.decision.status.message, /gold|acme|guess|sha256/i);
  });
}

test('a known key whose plan does not include the request gets 403', (t) => {
  const readers = planOf('shop/read', { match: READERS, consumers: [{ name: 'shop/acme', keys: [hashOf('k')] }] });
  const post = assess([readers], { ...key('k'), 'request.method': 'POST' });
  t.is(shown(post), 'notIncluded');
  t.is(post.type === 'refused' ? post.decision.status.code : '', 'PERMISSION_DENIED');
  t.regex(shown(assess([readers], { ...key('k'), 'request.method': 'GET' })), /^shop\/read shop\/acme /);
});

test('a key that two plans of a service have belongs to the first one that includes the request', (t) => {
  const keys = [hashOf('k')];
  const first = planOf('shop/a', { match: READERS, consumers: [{ name: 'shop/one', keys }] });
  const second = planOf('shop/b', { consumers: [{ name: 'shop/two', keys }] });
  t.regex(shown(assess([first, second], { ...key('k'), 'request.method': 'GET' })), /^shop\/a shop\/one /);
  t.regex(shown(assess([first, second], { ...key('k'), 'request.method': 'POST' })), /^shop\/b shop\/two /);
});

test('a key that two consumers of a plan have belongs to the first', (t) => {
  const keys = [hashOf('k')];
  const plan = planOf('shop/a', {
    consumers: [
      { name: 'shop/old', keys },
      { name: 'shop/thief', keys },
    ],
  });
  t.regex(shown(assess([plan], key('k'))), /^shop\/a shop\/old /);
});

test('an anonymous plan takes requests without a key, and those with unknown keys if it says so', (t) => {
  const strict = planOf('shop/free', { anonymous: 'withoutKey' });
  const open = planOf('shop/free', { anonymous: 'withoutKnownKey' });
  const from = { 'origin.ip': bytesAttribute(Uint8Array.of(10, 1, 2, 3)) };
  const anonymous = 'shop/free address:10.1.2.3 address:10.1.2.3 m';
  t.is(shown(assess([GOLD, strict], from)), anonymous);
  t.is(shown(assess([GOLD, strict], { ...from, ...key('guess') })), 'unknownKey');
  t.is(shown(assess([GOLD, open], { ...from, ...key('guess') })), anonymous);
  t.regex(shown(assess([open, GOLD], { ...from, ...key('gold-key') })), /^shop\/gold shop\/acme /, 'a known key wins');
});

test('a client cannot get another counter with another address of its IPv6 network', (t) => {
  const open = planOf('shop/free', { anonymous: 'withoutKey' });
  const address = (last: number) => {
    const bytes = new Uint8Array(16);
    bytes.set([0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2], 0);
    bytes[15] = last;
    return { 'origin.ip': bytesAttribute(bytes) };
  };
  t.is(shown(assess([open], address(1))), 'shop/free address:2001:db8:1:2::/64 address:2001:db8:1:2::/64 m');
  t.is(shown(assess([open], address(2))), shown(assess([open], address(1))));
  const mapped = new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 2, 3]);
  t.regex(shown(assess([open], { 'origin.ip': bytesAttribute(mapped) })), /address:10\.1\.2\.3 /);
});

test('only the limits that match are charged, also those for one consumer', (t) => {
  const plan = planOf('shop/gold', {
    consumers: [
      { name: 'shop/acme', keys: [hashOf('a')] },
      { name: 'shop/other', keys: [hashOf('b')] },
    ],
    limits: [
      LIMIT,
      { ...LIMIT, name: 'writes', match: [{ clause: { 'request.method': { exact: 'POST' } } }] },
      { ...LIMIT, name: 'acme', match: [{ clause: { 'api.consumer': { exact: 'shop/acme' } } }] },
    ],
  });
  t.regex(shown(assess([plan], { ...key('a'), 'request.method': 'POST' })), / m writes acme$/);
  t.regex(shown(assess([plan], { ...key('b'), 'request.method': 'GET' })), /[0-9a-f] m$/);
});

test('while a plan or its keys have not come, the fail policy decides about keys that may be in it', (t) => {
  const loading = planOf('shop/gold', { isLoading: true, consumers: [{ name: 'shop/acme', keys: [hashOf('a')] }] });
  t.regex(shown(assess([loading], key('a'))), /^shop\/gold /, 'a key that is there needs nothing else');
  t.is(shown(assess([loading], key('b'))), 'undecided');
  t.is(shown(assess([loading])), 'noKey', 'a request without a key is none that could be known');
  t.is(shown(assess([], key('a'), true)), 'undecided');
  t.is(shown(assess([], {}, true)), 'undecided', 'the plan may be for requests without a key');
  t.regex(shown(assess([GOLD], key('gold-key'), true)), /^shop\/gold /);
});

test('a condition that cannot be used leaves the decision to the fail policy, and never admits', (t) => {
  const broken = planOf('shop/gold', {
    match: [{ clause: { 'request.path': { regex: '(' } } }],
    consumers: [{ name: 'shop/acme', keys: [hashOf('a')] }],
  });
  t.is(shown(assess([broken], { ...key('a'), 'request.path': '/' })), 'undecided');
  const uncounted = planOf('shop/gold', {
    limits: [{ ...LIMIT, match: [{ clause: { 'request.path': { regex: '(' } } }] }],
    consumers: [{ name: 'shop/acme', keys: [hashOf('a')] }],
  });
  t.like(assess([uncounted], { ...key('a'), 'request.path': '/' }), { type: 'admitted', isUndecided: true });
});
