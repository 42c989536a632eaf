import test from 'ava';
import type { QuotaLimit } from '../../../src/config/policy-server/policy-server-config.js';
import { createAttributeBag, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { compileLimit } from '../../../src/policy/quota/compile-limit.js';
import { chargeParameters } from '../../../src/policy/quota/redis/charge-call.js';
import fc from '../../support/property-testing.js';

/** The key in Redis of a quota and the values of its two dimensions. */
function redisKey(name: string, values: readonly [string, string]): string {
  const dimensions = ['a', 'b'].map((attribute) => ({ text: attribute, attribute }));
  const limit: QuotaLimit = {
    name,
    maxAmount: 1,
    validDurationMs: 60_000,
    window: 'rolling',
    dimensions,
    overrides: [],
  };
  const layer = new Map(values.map((value, at) => [dimensions[at]?.attribute ?? '', stringAttribute(value)] as const));
  const attributes = createAttributeBag({
    staticFilter: EMPTY_LAYER,
    requestDerived: layer,
    ignoreForwarded: false,
    isGateway: false,
  });
  const { counter, maxAmount } = compileLimit(limit).resolve(attributes);
  const charges = [{ counter, maxAmount, amount: 1, bestEffort: false }];
  const [, key] = chargeParameters({ charges, repetitionKey: undefined, timeoutMs: 1 }, 'test');
  return String(key);
}

const text = fc.string({
  unit: fc.constantFrom('a', ':', '|', ',', '\n', '\0', '1', '2', '{', '}', '#', '\ud800'),
  maxLength: 8,
});
const named = fc.tuple(text, text, text);

test('no separators in names and values make the counters of two quotas or combinations one', (t) => {
  const property = fc.property(named, named, ([name, a, b], [otherName, otherA, otherB]) => {
    const isSame = name === otherName && a === otherA && b === otherB;
    return isSame === (redisKey(name, [a, b]) === redisKey(otherName, [otherA, otherB]));
  });
  t.notThrows(() => fc.assert(property, { numRuns: 3000 }));
});

test('a key in Redis has the same length whatever a caller sent', (t) => {
  const lengths = ['', 'k', 'k'.repeat(1_000_000)].map((value) => redisKey('requests', [value, value]).length);
  t.is(new Set(lengths).size, 1);
});
