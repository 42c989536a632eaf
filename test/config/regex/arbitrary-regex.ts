import fc from '../../support/property-testing.js';

const ATOMS = [
  'a',
  'b',
  'A',
  'é',
  '😀',
  '.',
  '^',
  '$',
  '\\b',
  '\\B',
  '\\A',
  '\\z',
  '\\d',
  '\\W',
  '\\pL',
  '\\P{Greek}',
  '\\x{1F600}',
  '\\x41',
  '\\101',
  '\\n',
  '\\.',
  '[a-c]',
  '[^a]',
  '[]a]',
  '[a\\]b-]',
  '[[:alpha:]_]',
  '[\\d\\pN-]',
  '(?i)',
  '(?s-i)',
  '(?m)',
  '\\Q\\E',
  '\\Qa*b\\E',
  '\\Q',
  '()',
  '(?:)',
  '/',
  '-',
  '{',
  ',',
  '}',
  ']',
];
const REPETITIONS = [
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{2}',
  '{0}',
  '{0,3}',
  '{2,}',
  '{1,2}?',
  '{,2}',
  '{0,}',
];
const GROUPS = ['(', '(?:', '(?i:', '(?P<n>', '(?<m>', '(?i)('];

/** Texts with every construct of RE2. Most of them are valid regular expressions. */
export const regexText: fc.Arbitrary<string> = fc.letrec<{ expression: string; item: string }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...REPETITIONS)).map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom(...GROUPS), tie('expression'), fc.constantFrom(...REPETITIONS))
      .map(([open, inner, repetition]) => `${open}${inner})${repetition}`),
  ),
  expression: fc
    .array(fc.tuple(tie('item'), fc.constantFrom('', '', '', '|')), { maxLength: 6 })
    .map((items) => items.flat().join('')),
})).expression;

/** Subjects that such expressions may match. */
export const subjectText: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'A', 'B', 'é', 'É', '😀', '\n', '/', '-', '*', '1', ' ', '{', ','),
  maxLength: 8,
});
