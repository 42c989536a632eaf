import test from 'ava';
import { createYamlParser } from '../../../src/config/yaml/parse-document.js';
import { processorMs } from '../../support/processor-ms.js';
import fc from '../../support/property-testing.js';

const parse = createYamlParser();

test('merge keys, anchors and JSON are read', (t) => {
  t.deepEqual(parse('base: &b {x: 1}\nmore:\n  <<: *b\n  y: 2\n'), {
    type: 'value',
    value: { base: { x: 1 }, more: { x: 1, y: 2 } },
  });
  t.deepEqual(parse('{"a": "\\u00e9\\/", "b": [1e3, null]}'), { type: 'value', value: { a: 'é/', b: [1000, null] } });
});

test('times and similar words stay texts', (t) => {
  t.deepEqual(parse('[2024-05-01, yes, 1_000]'), { type: 'value', value: ['2024-05-01', 'yes', '1_000'] });
});

const refused: readonly (readonly [string, string, RegExp, number | undefined])[] = [
  ['a duplicate key', 'a: 1\nb: 2\na: 3\n', /duplicated mapping key/, 3],
  ['an open bracket', 'a: 1\nb: [\n', /./, 3],
  ['a tab as indentation', 'a:\n\tb: 1', /tab/, 2],
  ['a tag of a language', 'a: !!js/function "x"', /unknown tag/, 1],
  ['an unknown alias', 'a: *b', /unidentified alias/, 1],
  ['nesting without end', '['.repeat(100_000), /maxDepth/, 1],
  ['a __proto__ key', 'a: {__proto__: {x: 1}}', /__proto__ is not allowed/, undefined],
  ['an alias to itself', 'a: &a [*a]', /deeper than 64/, undefined],
  [
    'a bomb of aliases',
    [
      'a0: &a0 [x,x,x,x,x,x,x,x,x]',
      ...Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`)}]`),
    ].join('\n'),
    /aliases expand/,
    undefined,
  ],
  ['two documents', 'a: 1\n---\nb: 2\n', /single document/, undefined],
];

for (const [what, text, message, line] of refused) {
  test(`${what} is refused quickly`, (t) => {
    t.true(processorMs(() => void parse(text)) < 1000);
    const result = parse(text);
    if (result.type !== 'error') return t.fail(JSON.stringify(result.value));
    t.regex(result.message, message);
    t.is(result.line, line);
  });
}

test('no text makes the parser throw', (t) => {
  const yamlish = fc.string({ unit: fc.constantFrom(...'a1:-[]{}&*!|>\'"%#?, \n\t<.\u0000é') });
  fc.assert(
    fc.property(yamlish, (text) => {
      t.true(['value', 'error'].includes(parse(text).type));
    }),
    { numRuns: 2000 },
  );
});
