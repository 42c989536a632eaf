import test from 'ava';
import { type AttributeBag, bagOf } from '../../../src/policy/client/attribute-bag.js';
import { type AttributeValue, int64Attribute, stringAttribute } from '../../../src/policy/client/attribute-value.js';
import {
  type AttributeMatchConfig,
  compileQuotaSpecs,
  type QuotaRuleConfig,
} from '../../../src/policy/client/compile-quota-specs.js';
import type { StringMatchConfig } from '../../../src/policy/client/string-condition.js';
import fc from '../../support/property-testing.js';

function bag(attributes: Readonly<Record<string, string | AttributeValue>>): AttributeBag {
  const entries = Object.entries(attributes);
  return bagOf(
    new Map(entries.map(([name, value]) => [name, typeof value === 'string' ? stringAttribute(value) : value])),
  );
}

function rule(quota: string, ...clauses: readonly Readonly<Record<string, StringMatchConfig>>[]): QuotaRuleConfig {
  return { match: clauses.map((clause) => ({ clause })), quotas: [{ quota, charge: 1 }] };
}

function quotasOf(rules: readonly QuotaRuleConfig[], attributes: AttributeBag): readonly string[] {
  return compileQuotaSpecs([{ rules }])
    .chargesFor(attributes)
    .map(({ quota }) => quota);
}

test('an empty list of matches matches every request', (t) => {
  t.deepEqual(quotasOf([rule('q')], bag({})), ['q']);
  t.deepEqual(quotasOf([{ quotas: [{ quota: 'q', charge: 1 }] }], bag({ a: '1' })), ['q']);
});

test('a rule matches when any one of its matches is true', (t) => {
  const rules = [rule('q', { a: { exact: '1' } }, { b: { exact: '2' } })];
  t.deepEqual(quotasOf(rules, bag({ a: '1' })), ['q']);
  t.deepEqual(quotasOf(rules, bag({ b: '2' })), ['q']);
  t.deepEqual(quotasOf(rules, bag({ a: '2', b: '1' })), []);
});

test('a rule whose matches are all true charges once', (t) => {
  t.deepEqual(quotasOf([rule('q', { a: { exact: '1' } }, { b: { exact: '2' } }, {})], bag({ a: '1', b: '2' })), ['q']);
});

test('a match needs all of its clauses', (t) => {
  const rules = [rule('q', { a: { exact: '1' }, b: { prefix: '2' }, c: { regex: '3+' } })];
  t.deepEqual(quotasOf(rules, bag({ a: '1', b: '22', c: '33' })), ['q']);
  t.deepEqual(quotasOf(rules, bag({ a: '0', b: '22', c: '33' })), []);
  t.deepEqual(quotasOf(rules, bag({ a: '1', b: '32', c: '33' })), []);
  t.deepEqual(quotasOf(rules, bag({ a: '1', b: '22', c: '34' })), []);
  t.deepEqual(quotasOf(rules, bag({ a: '1', b: '22' })), []);
});

test('a match without clauses is true', (t) => {
  t.deepEqual(quotasOf([rule('q', {}), { match: [{}], quotas: [{ quota: 'r', charge: 1 }] }], bag({})), ['q', 'r']);
});

const CONDITIONS: readonly (readonly [string, StringMatchConfig, string, boolean])[] = [
  ['exact matches the whole text', { exact: 'GET' }, 'GET', true],
  ['exact is case-sensitive', { exact: 'GET' }, 'get', false],
  ['exact does not match a longer text', { exact: 'GET' }, 'GETS', false],
  ['prefix matches the start', { prefix: '/v1' }, '/v1/pets', true],
  ['prefix is case-sensitive', { prefix: '/v1' }, '/V1/pets', false],
  ['prefix does not match inside', { prefix: 'v1' }, '/v1', false],
  ['an empty prefix matches every text', { prefix: '' }, 'x', true],
  ['regex matches the whole text', { regex: 'a|ab' }, 'ab', true],
  ['regex does not match a part', { regex: 'b' }, 'abc', false],
  ['regex is case-sensitive', { regex: 'ab' }, 'AB', false],
  ['no member asks for presence', {}, '', true],
];

for (const [title, match, value, isMet] of CONDITIONS) {
  test(`${title}: ${JSON.stringify(match)} on ${JSON.stringify(value)}`, (t) => {
    t.is(quotasOf([rule('q', { a: match })], bag({ a: value })).length, isMet ? 1 : 0);
    // The same condition as one that is only looked at after another.
    const behind = [rule('q', { a: match, b: { exact: '1' } }), rule('q', { a: match }), rule('q', { a: match })];
    t.is(quotasOf(behind, bag({ a: value, b: '1' })).length, isMet ? 3 : 0);
  });
}

for (const [title, match] of CONDITIONS) {
  test(`a clause on a missing attribute is false: ${title}`, (t) => {
    t.deepEqual(quotasOf([rule('q', { a: match })], bag({ b: 'x' })), []);
  });
  test(`a clause on an attribute that is not a string is false: ${title}`, (t) => {
    t.deepEqual(quotasOf([rule('q', { a: match })], bag({ a: int64Attribute(1) })), []);
  });
}

test('every rule that matches charges all its quotas, in the order of specs, rules and quotas', (t) => {
  const compiled = compileQuotaSpecs([
    {
      rules: [
        {
          match: [{ clause: { a: { prefix: '1' } } }],
          quotas: [
            { quota: 'x', charge: 5 },
            { quota: 'y', charge: 2 },
          ],
        },
        { match: [{ clause: { a: { exact: '2' } } }], quotas: [{ quota: 'never', charge: 1 }] },
        { quotas: [{ quota: 'x', charge: 1 }] },
      ],
    },
    { rules: [{ match: [{ clause: { a: { regex: '.' } } }], quotas: [{ quota: 'x', charge: 5 }] }] },
  ]);
  t.deepEqual(compiled.chargesFor(bag({ a: '1' })), [
    { quota: 'x', charge: 5 },
    { quota: 'y', charge: 2 },
    { quota: 'x', charge: 1 },
    { quota: 'x', charge: 5 },
  ]);
});

test('a charge that is left out is 1', (t) => {
  t.deepEqual(compileQuotaSpecs([{ rules: [{ quotas: [{ quota: 'q' }] }] }]).chargesFor(bag({})), [
    { quota: 'q', charge: 1 },
  ]);
});

test('specs without rules charge nothing', (t) => {
  t.deepEqual(compileQuotaSpecs([]).chargesFor(bag({ a: '1' })), []);
  t.deepEqual(compileQuotaSpecs([{}]).chargesFor(bag({ a: '1' })), []);
});

test('unusable conditions are named and never met, and other rules stay in force', (t) => {
  const compiled = compileQuotaSpecs([
    {
      rules: [
        rule('look-around', { a: { regex: '(?=1)1' } }),
        rule('two members', { a: { exact: '1', prefix: '1' } }),
        rule('half', { a: { exact: '1' }, b: { regex: '[' } }),
        {
          quotas: [
            { quota: '' },
            { quota: 'zero', charge: 0 },
            { quota: 'half', charge: 0.5 },
            { quota: 'big', charge: 2 ** 31 },
          ],
        },
        rule('good', { a: { exact: '1' } }),
      ],
    },
  ]);
  t.deepEqual(
    compiled.problems.map(({ field }) => field),
    [
      '[0].rules[0].match[0].clause["a"].regex',
      '[0].rules[1].match[0].clause["a"].prefix',
      '[0].rules[2].match[0].clause["b"].regex',
      '[0].rules[3].quotas[0].quota',
      '[0].rules[3].quotas[1].charge',
      '[0].rules[3].quotas[2].charge',
      '[0].rules[3].quotas[3].charge',
    ],
  );
  t.deepEqual(compiled.chargesFor(bag({ a: '1' })), [{ quota: 'good', charge: 1 }]);
});

test('answers depend on the bag alone, not on requests before', (t) => {
  const compiled = compileQuotaSpecs([{ rules: [rule('q', { a: { regex: '1' }, b: { regex: '1' } })] }]);
  const met = bag({ a: '1', b: '1' });
  const unmet = bag({ a: '1', b: '2' });
  t.deepEqual(
    [met, unmet, met, bag({}), met].map((each) => compiled.chargesFor(each).length),
    [1, 0, 1, 0, 1],
  );
});

const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 4 });
const stringMatch: fc.Arbitrary<StringMatchConfig> = fc.oneof(
  text.map((exact) => ({ exact })),
  text.map((prefix) => ({ prefix })),
  fc.constantFrom('a*', '(a|b)+', '/.*', 'ab?', '.*b', '^a$', '').map((regex) => ({ regex })),
  fc.constant({}),
);
const clause = fc.dictionary(fc.constantFrom('x', 'y', 'z'), stringMatch, { maxKeys: 3 });

function isMet(match: StringMatchConfig, value: string | undefined): boolean {
  if (value === undefined) return false;
  if (match.exact !== undefined) return match.exact === value;
  if (match.prefix !== undefined) return value.startsWith(match.prefix);
  return match.regex === undefined || new RegExp(`^(?:${match.regex})$`).test(value);
}

function matchesNaively(match: readonly AttributeMatchConfig[], values: Readonly<Record<string, string>>): boolean {
  if (match.length === 0) return true;
  return match.some(({ clause: conditions = {} }) =>
    Object.entries(conditions).every(([name, condition]) => isMet(condition, values[name])),
  );
}

test('for any rules and attributes, the charges are those of a naive evaluation', (t) => {
  const rules = fc.array(fc.array(clause, { maxLength: 3 }), { minLength: 1, maxLength: 30 });
  const requests = fc.array(fc.dictionary(fc.constantFrom('x', 'y', 'z'), text, { maxKeys: 3 }), { maxLength: 4 });
  fc.assert(
    fc.property(rules, requests, (clauses, attributes) => {
      const specs = clauses.map((each, index) => rule(`${index}`, ...each));
      const compiled = compileQuotaSpecs([{ rules: specs }]);
      for (const values of attributes) {
        const expected = specs.filter(({ match = [] }) => matchesNaively(match, values));
        t.deepEqual(
          compiled.chargesFor(bag(values)),
          expected.flatMap(({ quotas = [] }) => quotas.map(({ quota = '' }) => ({ quota, charge: 1 }))),
        );
      }
    }),
    { numRuns: 300 },
  );
});
