import test, { type ExecutionContext } from 'ava';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { compileApiSpecs, type HttpApiPatternConfig } from '../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs, type QuotaRuleConfig } from '../../../src/policy/client/compile-quota-specs.js';
import { processorMs } from '../../support/processor-ms.js';
import { shortestMs } from '../../support/shortest-ms.js';

/** Of processor time; what these tests keep away takes minutes or longer. */
const LIMIT_MS = 5_000;

function isQuick<Result>(t: ExecutionContext, work: () => Result): Result {
  const results: Result[] = [];
  const spentMs = processorMs(() => results.push(work()));
  t.true(spentMs < LIMIT_MS, `${spentMs} ms`);
  return results[0] as Result;
}

function compilePatterns(templates: readonly string[]) {
  const patterns = templates.map((uriTemplate): HttpApiPatternConfig => ({ httpMethod: 'GET', uriTemplate }));
  const specs = compileApiSpecs([{ attributes: { attributes: { hit: { boolValue: true } } }, patterns }]);
  return { hits: (target: string) => specs.attributesFor('GET', target).size > 0, problems: specs.problems };
}

const SEGMENT_COUNT = 10_000;
const HOSTILE_PATHS = [
  '/a'.repeat(SEGMENT_COUNT),
  `${'/a'.repeat(SEGMENT_COUNT)}/z`,
  '/'.repeat(SEGMENT_COUNT),
  `${'/'.repeat(SEGMENT_COUNT)}z`,
  `/${'a'.repeat(SEGMENT_COUNT * 10)}`,
  `${'/a'.repeat(SEGMENT_COUNT)}?${'&a'.repeat(SEGMENT_COUNT)}`,
  `/${'%41'.repeat(SEGMENT_COUNT)}`,
  `/${':a'.repeat(SEGMENT_COUNT)}`,
];

/** A number's bits choose a literal or a wildcard for each segment, so that every combination has a way of its own. */
function combination(index: number, length: number): string {
  return Array.from({ length }, (_, bit) => ((index >> bit) & 1 ? '/a' : '/*')).join('');
}

test('1,000 patterns that all share a path up to its end are searched in time, however long the path is', (t) => {
  const templates = Array.from({ length: 1_000 }, (_, index) => `${combination(index, 10)}/**/x${index}`);
  const { hits, problems } = compilePatterns(templates);
  t.deepEqual(problems, []);
  isQuick(t, () => {
    for (let round = 0; round < 10; round++) for (const path of HOSTILE_PATHS) t.false(hits(path));
  });
  t.true(hits(`${'/a'.repeat(SEGMENT_COUNT)}/x5`));
});

test('long templates of wildcards with ** behind them are searched in time', (t) => {
  const templates = Array.from(
    { length: 1_000 },
    (_, index) => `${combination(index, 10)}${'/*'.repeat(index)}/**/b/a`,
  );
  const { hits, problems } = compilePatterns(templates.map((template) => template.slice(0, 2_000)));
  t.true(problems.length < 200);
  isQuick(t, () => {
    for (const path of HOSTILE_PATHS) hits(path);
  });
});

test('limits on the characters of segments and query values are looked at in time', (t) => {
  const templates = Array.from({ length: 1_000 }, (_, index) => `/{a:${index + 1}}/x{?q:${index + 1}}`);
  const { hits } = compilePatterns(templates);
  const target = `/${'a'.repeat(500)}/x?${'q=%41&'.repeat(2_000)}q=${'b'.repeat(2_000)}`;
  isQuick(t, () => {
    for (let round = 0; round < 5; round++) t.false(hits(target));
  });
});

test('a path of 10,000 segments costs about ten times one of 1,000', (t) => {
  const { hits } = compilePatterns(Array.from({ length: 1_000 }, (_, index) => `${combination(index, 10)}/**/x`));
  const cost = (segments: number) => {
    const path = '/a'.repeat(segments);
    return shortestMs(() => {
      for (let round = 0; round < 10; round++) hits(path);
    }, 15);
  };
  // Quadratic work would be a hundred times as much.
  const ratio = cost(10_000) / cost(1_000);
  t.true(ratio < 40, `${ratio} times`);
});

const NESTED = ['(a*)*b', '(a|aa)+c', '(.*)*d', '([a-z]+)*e', '(x+x+)+y', '.*.*.*.*.*.*f', '(a?){500}g'];

test('regexes that make others backtrack are matched in time, alone and together', (t) => {
  const alone = NESTED.map((regex) => compileApiSpecs([{ patterns: [{ httpMethod: 'GET', regex }] }]));
  const together = compileApiSpecs([{ patterns: NESTED.map((regex) => ({ httpMethod: 'GET', regex })) }]);
  isQuick(t, () => {
    for (const specs of [...alone, together]) {
      t.is(specs.attributesFor('GET', 'a'.repeat(8_000)).size, 0);
      t.is(specs.attributesFor('GET', 'x'.repeat(8_000)).size, 0);
    }
  });
});

function rules(count: number, clause: (index: number) => QuotaRuleConfig['match']): QuotaRuleConfig[] {
  return Array.from({ length: count }, (_, index) => ({
    match: clause(index) ?? [],
    quotas: [{ quota: `${index}`, charge: 1 }],
  }));
}

const LONG = 'a'.repeat(60_000);
const BAG = bagOf(
  new Map([
    ['path', stringAttribute(LONG)],
    ['method', stringAttribute('GET')],
    ['operation', stringAttribute('operation9999')],
  ]),
);

for (const [title, clause, expected] of [
  ['exact', (index: number) => [{ clause: { operation: { exact: `operation${index}` } } }], 1],
  ['prefix', (index: number) => [{ clause: { path: { prefix: `${'a'.repeat(index % 4_000)}b` } } }], 0],
  ['nested prefix', (index: number) => [{ clause: { path: { prefix: 'a'.repeat((index % 4_000) + 1) } } }], 10_000],
  [
    'shared',
    (index: number) => [
      { clause: { method: { exact: 'GET' }, path: { prefix: 'b' }, operation: { exact: `${index}` } } },
    ],
    0,
  ],
  [
    'regex',
    (index: number) => [{ clause: { method: { exact: 'GET' }, operation: { regex: `x${index % 100}.*` } } }],
    0,
  ],
] as const) {
  test(`10,000 quota rules with ${title} conditions are evaluated in time on a long value`, (t) => {
    const compiled = isQuick(t, () => compileQuotaSpecs([{ rules: rules(10_000, clause) }]));
    t.deepEqual(compiled.problems, []);
    isQuick(t, () => {
      for (let round = 0; round < 10; round++) t.is(compiled.chargesFor(BAG).length, expected);
    });
  });
}
