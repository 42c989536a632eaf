import test from 'ava';
import type { QuotaSpec } from '../../../src/config/policy/quota-spec.js';
import { createComparisonBudget } from '../../../src/status/analysis/overlap/comparison-budget.js';
import { findQuotaOverlap } from '../../../src/status/analysis/overlap/quota-specs-overlap.js';
import { stringMatchesOverlap } from '../../../src/status/analysis/overlap/string-matches-overlap.js';
import fc from '../../support/property-testing.js';

const matches = (regex: string, text: string): boolean => new RegExp(`^(?:${regex})$`).test(text);
type Clause = QuotaSpec['rules'][number]['match'][number]['clause'];

/** Every two conditions, in order. */
function slowOverlap(first: QuotaSpec, second: QuotaSpec): string | undefined {
  type Condition = readonly [path: string, clause: Clause];
  const conditions = ({ rules }: QuotaSpec): readonly Condition[] =>
    rules.flatMap(({ match }, rule): readonly Condition[] =>
      match.length === 0
        ? [[`spec.rules[${rule}]`, {}]]
        : match.map(({ clause }, at) => [`spec.rules[${rule}].match[${at}]`, clause]),
    );
  for (const [firstPath, one] of conditions(first)) {
    for (const [secondPath, other] of conditions(second)) {
      const together = Object.entries(one).every(([attribute, condition]) => {
        const theirs = Object.hasOwn(other, attribute) ? other[attribute] : undefined;
        return theirs === undefined || stringMatchesOverlap(condition, theirs, matches);
      });
      if (together) return `${firstPath} ${secondPath}`;
    }
  }
  return undefined;
}

test('the index finds the same first overlap as a comparison of all pairs in order', (t) => {
  const text = fc.constantFrom('a', 'b', 'ab', 'c');
  const condition = fc.oneof(
    { weight: 4, arbitrary: text.map((exact) => ({ exact })) },
    text.map((prefix) => ({ prefix })),
    fc.constantFrom('a+', '[ab]+').map((regex) => ({ regex })),
  );
  const attribute = fc.constantFrom('x', 'y', 'z', 'constructor');
  const clause = fc.dictionary(attribute, condition, { minKeys: 1, maxKeys: 4 });
  const rule = fc.array(fc.record({ clause }), { minLength: 1, maxLength: 3 }).map((match) => ({ match, quotas: [] }));
  const spec = fc.array(rule, { minLength: 1, maxLength: 5 }).map((rules) => ({ rules }) as unknown as QuotaSpec);
  const tally = { overlap: 0, none: 0 };
  fc.assert(
    fc.property(spec, spec, (first, second) => {
      const found = findQuotaOverlap(first, second, createComparisonBudget(10_000), matches);
      const expected = slowOverlap(first, second);
      tally[expected === undefined ? 'none' : 'overlap']++;
      t.is(found && `${found.first} ${found.second}`, expected);
    }),
    { numRuns: 3000 },
  );
  t.true(tally.overlap > 100 && tally.none > 100, JSON.stringify(tally));
});

test('rules that require different exact texts are not compared in pairs', (t) => {
  const spec = (prefix: string): QuotaSpec => ({
    rules: Array.from({ length: 1000 }, (_, index) => ({
      match: [{ clause: { a: { exact: `${prefix}${index}` }, b: { exact: 'same' } } }],
      quotas: [],
    })),
  });
  const budget = createComparisonBudget(1000);
  t.is(findQuotaOverlap(spec('x'), spec('y'), budget, matches), undefined);
  t.false(budget.exhausted);
});
