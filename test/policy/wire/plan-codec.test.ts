import test from 'ava';
import type { ResolvedPlan } from '../../../src/config/plans/resolved-plan.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { createPlanReader } from '../../../src/policy/server/discovery/plan-reader.js';
import { createConfigDecoder } from '../../../src/policy/wire/config-decoder.js';
import { createConfigEncoder } from '../../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../../src/policy/wire/policy-protos.js';

const protos = loadPolicyProtos();
const encoder = createConfigEncoder(createMessageEncoder(protos));
const read = createPlanReader(createConfigDecoder(protos));

const HASH = 'ab'.repeat(32);
const PLAN: ResolvedPlan = {
  match: [{ clause: { 'api.service': { exact: 'books' } } }],
  limits: [
    { name: 'a', requests: 999_999_999_999_999, per: 'month', window: 'rolling', of: 'key', match: [] },
    {
      name: 'b',
      requests: 0,
      per: 'minute',
      window: 'fixed',
      of: 'consumer',
      match: [{ clause: { 'request.path': { prefix: '/a' }, 'request.method': { regex: 'G.T' } } }],
    },
    { name: 'c', requests: 5, per: 'week', window: 'fixed', of: 'plan', match: [] },
  ],
  anonymous: 'withoutKnownKey',
  refund: { responseCodes: ['5xx', '429'] },
  consumers: [
    { name: 'shop/acme', keys: [HASH, '00'.repeat(32)] },
    { name: 'shop/other', keys: [] },
  ],
  isLoading: true,
};
const PLAIN: ResolvedPlan = { match: [], limits: [], anonymous: 'never', consumers: [] };

for (const [what, plan] of [
  ['a plan with all fields', PLAN],
  ['a plan without any', PLAIN],
] as const) {
  test(`${what} is read as it was written`, (t) => {
    t.deepEqual(read(encoder.plan(plan)), plan);
  });
}

test('a plan that breaks a rule of the kind is refused, and a hash that is none without being shown', (t) => {
  const [limit] = PLAN.limits;
  if (limit === undefined) return t.fail();
  t.throws(() => read(encoder.plan({ ...PLAN, limits: [limit, limit] })), { message: /limits\[1\]\.name/ });
  const short = { ...PLAN, consumers: [{ name: 'shop/acme', keys: ['abcd'] }] };
  t.throws(() => read(encoder.plan(short)), { message: /consumers\[0\]\.keys.*32 bytes/ });
  t.throws(() => read(Buffer.from([0xff, 0xff])), { message: /cannot be decoded/ });
});
