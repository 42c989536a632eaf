import test from 'ava';
import { inOneStep, type Steps } from '../../../src/base/steps.js';
import type { ResolvedPlan } from '../../../src/config/plans/resolved-plan.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { createPlanReader } from '../../../src/policy/server/discovery/plan-reader.js';
import { createConfigDecoder } from '../../../src/policy/wire/config-decoder.js';
import { createConfigEncoder } from '../../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../../src/policy/wire/policy-protos.js';

const protos = loadPolicyProtos();
const encoder = createConfigEncoder(createMessageEncoder(protos));
const readInSteps = createPlanReader(createConfigDecoder(protos));
const read = (bytes: Buffer) => inOneStep(readInSteps(bytes));

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
    const { owners, ...others } = read(encoder.plan(plan));
    t.deepEqual(others, plan);
    t.is(owners?.size, plan.consumers.flatMap(({ keys }) => keys).length);
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

test('a key of several consumers belongs to the first, and fields of later versions are left out', (t) => {
  const consumers = ['shop/acme', 'shop/other'].map((name) => ({ name, keys: [HASH] }));
  const unknown = Buffer.from([0xa2, 0x06, 0x01, 0x61]);
  const { owners } = read(Buffer.concat([unknown, encoder.plan({ ...PLAN, consumers }), unknown]));
  t.deepEqual([...(owners ?? [])], [[HASH, 'shop/acme']]);
});

for (const [shape, consumers, keysEach] of [
  ['of one consumer', 1, 50_000],
  ['of 500 consumers', 500, 100],
  ['of 50,000 consumers', 50_000, 1],
] as const) {
  test(`50,000 keys ${shape} are read in hundreds of small steps`, (t) => {
    const keyOf = (consumer: number, key: number) => (consumer * keysEach + key).toString(16).padStart(64, '0');
    const plan: ResolvedPlan = {
      ...PLAN,
      consumers: Array.from({ length: consumers }, (_, consumer) => ({
        name: `shop/c${consumer}`,
        keys: Array.from({ length: keysEach }, (_, key) => keyOf(consumer, key)),
      })),
    };
    const { steps, result } = counted(readInSteps(encoder.plan(plan)));
    t.is(result.owners?.size, 50_000);
    t.is(result.owners?.get(keyOf(consumers - 1, keysEach - 1)), `shop/c${consumers - 1}`);
    t.true(steps >= (2 * 50_000) / 512 - 1, `${steps} steps`);
  });
}

function counted<Result>(work: Steps<Result>): { readonly steps: number; readonly result: Result } {
  for (let steps = 1; ; steps++) {
    const step = work.next();
    if (step.done) return { steps, result: step.value };
  }
}
