import test from 'ava';
import { createRegexPrograms } from '../../../src/config/regex/regex-programs.js';
import { createEvaluationMeter } from '../../../src/expressions/compile/lazy-frame.js';
import { compileExpression } from '../../../src/expressions/compile-expression.js';
import { attributeEquals, type Conjunct } from '../../../src/expressions/conditions/conjunct.js';
import type { ExpressionLanguage } from '../../../src/expressions/expression-types.js';
import { createRuleIndex } from '../../../src/policy/rules/rule-index.js';
import { ATTRIBUTES } from '../../expressions/support/attribute-types.js';
import { requestWith, type Written } from '../../expressions/support/request-attributes.js';
import fc from '../../support/property-testing.js';

const programs = createRegexPrograms({ scope: 'any part' });
const compile = (text: string, language: ExpressionLanguage = 'legacy') =>
  compileExpression(text, ATTRIBUTES, language, { programs });

/** Conditions of all kinds, on few attributes with few values, so that rules and requests meet. */
const PARTS: Readonly<Record<'all' | ExpressionLanguage, readonly string[]>> = {
  all: [
    ...['key == "a"', '"b" == key', 'key != "a"', 'key == ""', 'key == word', 'word == "a"', 'word == "ab"'],
    ...['key.startsWith("a")', 'key.startsWith("ab")', 'key.startsWith("")', 'key.endsWith("b")', 'match(key, "a*")'],
    ...['match(key, "*b")', 'match(word, "b")', 'match(key, "*")', 'toLower(key) == "a"', 'count == 1', '2 == count'],
    ...['map["k"] != ""', '"" != map["l"]', 'key != ""', 'map["l"] == "b"', 'map["k"].startsWith("")'],
    ...['count != 1', 'flag', 'flag == true', 'flag == false', 'ratio == 0.0', 'map["k"] == "a"', 'map["k"] == ""'],
    ...[
      'destination.service == "a"',
      'key.endsWith("abc")',
      'match(word, "*abc")',
      'source.namespace == ""',
      'address == ip("10.0.0.1")',
      'true',
      'false',
    ],
  ],
  legacy: [
    '(key | "a") == "a"',
    '(map["k"] | word | "b") == "b"',
    '"^a".matches(key)',
    '"abc$".matches(key)',
    '"bcd?|x".matches(key)',
    '"abc*".matches(word)',
    'elapsed == "1s"',
  ],
  compat: [
    '(key | "a") == "a"',
    '(source.namespace | "a") == "a"',
    'key.matches("^a")',
    'key.matches("a(b|c)bca")',
    '!flag',
    'count + 1 == 2',
  ],
  cel: [
    ...[
      'key in ["a", "ab"]',
      'count in [1, 2]',
      'count in [1, count]',
      '"k" in map',
      'key.contains("abc")',
      'key.contains("bca") || key.contains("cab")',
      'has(source.namespace)',
    ],
    ...['pick(map["k"], "a") == "a"', '["a", "b"].exists(x, x == key)', 'key.matches("^a")', '!(key == "a")'],
    ...['(flag ? key : word) == "a"', 'map.k == "a"'],
  ],
};

const condition = (language: ExpressionLanguage): fc.Arbitrary<string> => {
  const part = fc.constantFrom(...PARTS.all, ...PARTS[language]);
  const joined = (of: fc.Arbitrary<string>) =>
    fc
      .array(fc.tuple(of, fc.constantFrom(' && ', ' && ', ' || ')), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.map(([text, joint], index) => `${index === 0 ? '' : joint}(${text})`).join(''));
  return fc.oneof(part, joined(part), joined(joined(part)));
};

const request: fc.Arbitrary<Readonly<Record<string, Written>>> = fc.record(
  {
    // One of a type that is not the declared one.
    key: fc.constantFrom<Written[]>('a', 'A', 'b', 'ab', 'abc', 'abcabc', 'acbca', '', 1n),
    word: fc.constantFrom('a', 'b', 'ab', 'xabc'),
    count: fc.constantFrom<Written[]>(1n, 2n, 'a'),
    flag: fc.boolean(),
    ratio: fc.constantFrom(0, -0, 1),
    map: fc.constantFrom<Written[]>({}, { k: 'a' }, { k: '', l: 'b' }, { k: 'b', l: '', m: 'a' }, 'a'),
    address: fc.constant(new Uint8Array([10, 0, 0, 1])),
    elapsed: fc.constant(1_000_000_000n),
    'source.namespace': fc.constantFrom('a', ''),
    'destination.service': fc.constantFrom('a', 'b'),
  },
  { requiredKeys: [] },
);

const written = (language: ExpressionLanguage) =>
  fc.array(fc.record({ match: condition(language), namespace: fc.option(fc.constantFrom('a', 'b')) }), {
    maxLength: 30,
  });

for (const language of ['legacy', 'compat', 'cel'] as const) {
  test(`an index of conditions in ${language} finds exactly the rules that are true when each is evaluated`, (t) => {
    let found = 0;
    fc.assert(
      fc.property(written(language), fc.array(request, { minLength: 1, maxLength: 8 }), (rules, requests) => {
        const compiled = rules.map(({ match, namespace }, place) => {
          const expression = compile(match, language);
          const limits = namespace === null ? [] : [attributeEquals('source.namespace', namespace)];
          return { place, expression, namespace, conjuncts: [...limits, ...expression.conjuncts()] };
        });
        const index = createRuleIndex(compiled);
        for (const values of requests) {
          const bag = requestWith(values);
          const expected = compiled.filter(
            ({ expression, namespace }) =>
              (namespace === null || values['source.namespace'] === namespace) && expression.matches(bag),
          );
          const actual = index(bag, createEvaluationMeter());
          t.deepEqual(
            actual.map(({ place }) => `${place} ${rules[place]?.match}`),
            expected.map(({ place }) => `${place} ${rules[place]?.match}`),
          );
          found += actual.length;
        }
      }),
      { numRuns: 400 },
    );
    t.true(found > 400);
  });
}

/** A rule, and how many evaluations its conjuncts had. */
function countedRule(place: number, texts: string) {
  const counted = { place, evaluations: 0, conjuncts: [] as readonly Conjunct[] };
  counted.conjuncts = compile(texts)
    .conjuncts()
    .map((conjunct) => ({
      ...conjunct,
      matches: (...given: Parameters<Conjunct['matches']>) => {
        counted.evaluations++;
        return conjunct.matches(...given);
      },
    }));
  return counted;
}

test('rules that need another value are not evaluated, and a conjunct of several rules is evaluated once', (t) => {
  const others = Array.from({ length: 100 }, (_, place) => countedRule(place, `(map["k"] | "") == "v${place}"`));
  const prefixed = countedRule(100, 'key.startsWith("/v1/") && word != "x"');
  const twins = [countedRule(101, 'word != "x"'), countedRule(102, 'word != "x" && word != "y"')];
  const find = createRuleIndex([...twins, ...others, prefixed]);
  const found = find(requestWith({ map: { k: 'v7' }, key: '/v1/a', word: 'w' }), createEvaluationMeter());
  t.deepEqual(
    found.map(({ place }) => place),
    [7, 100, 101, 102],
  );
  // The value by which it was found proves its only conjunct.
  t.true(others.every(({ evaluations }) => evaluations === 0));
  t.is(prefixed.evaluations + (twins[0]?.evaluations ?? 0) + (twins[1]?.evaluations ?? 0), 2);
});

test('rules that ask for entries of a map which a request lacks are not evaluated', (t) => {
  const rules = Array.from({ length: 100 }, (_, place) =>
    countedRule(place, `map["k${place}"] != "" && word != "x${place}"`),
  );
  const find = createRuleIndex(rules);
  for (const [map, expected] of [
    [{ k7: 'a', k8: '', other: 'b' }, [7]],
    [{}, []],
    [
      Object.fromEntries(rules.map(({ place }) => [`k${place * 2}`, 'a'])),
      rules.flatMap(({ place }) => (place % 2 ? [] : [place])),
    ],
  ] as const) {
    for (const rule of rules) rule.evaluations = 0;
    const found = find(requestWith({ map, word: 'w' }), createEvaluationMeter());
    t.deepEqual(
      found.map(({ place }) => place),
      expected as readonly number[],
    );
    t.true(
      rules.every(
        ({ place, evaluations }) => evaluations === ((expected as readonly number[]).includes(place) ? 1 : 0),
      ),
    );
  }
});

test('a rule that needs a value of one of two subjects is found once, and not evaluated without both', (t) => {
  const rules = Array.from({ length: 100 }, (_, place) =>
    countedRule(place, `(key == "k${place}" || map["k"].startsWith("v${place}/")) && word != "x${place}"`),
  );
  const find = createRuleIndex(rules);
  for (const [values, expected] of [
    [{ key: 'k3', map: {} }, [3]],
    [{ key: 'k', map: { k: 'v4/a' } }, [4]],
    [{ key: 'k5', map: { k: 'v6/' } }, [5, 6]],
    [{ key: 'k7', map: { k: 'v7/' } }, [7]],
    [{ key: 'k', map: {} }, []],
  ] as const) {
    for (const rule of rules) rule.evaluations = 0;
    const found = find(requestWith({ ...values, word: 'w' }), createEvaluationMeter());
    t.deepEqual(
      found.map(({ place }) => place),
      [...expected],
    );
    t.is(
      rules.reduce((sum, { evaluations }) => sum + evaluations, 0),
      2 * expected.length,
    );
  }
});

test('rules whose values are never met by one request cost nothing of its meter', (t) => {
  const rules = Array.from({ length: 50 }, (_, place) => ({
    place,
    conjuncts: compile(`key == "k${place}" && "[a-z]+x".matches(word)`).conjuncts(),
  }));
  const meter = createEvaluationMeter();
  const find = createRuleIndex(rules);
  t.is(find(requestWith({ key: 'k', word: 'a'.repeat(1000) }), meter).length, 0);
  t.true(meter.spend(4_000_000));
});
