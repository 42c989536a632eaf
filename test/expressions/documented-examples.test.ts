import { readFileSync } from 'node:fs';
import test from 'ava';
import { ATTRIBUTE_VOCABULARY, type VocabularyType } from '../../src/config/attributes/attribute-vocabulary.js';
import { checkExpression } from '../../src/expressions/check-expression.js';
import type { ExpressionLanguage, ValueType } from '../../src/expressions/expression-types.js';
import { attributeTypes } from './support/attribute-types.js';

const TYPES: Readonly<Record<VocabularyType, ValueType>> = {
  string: 'STRING',
  int64: 'INT64',
  bool: 'BOOL',
  bytes: 'IP_ADDRESS',
  timestamp: 'TIMESTAMP',
  duration: 'DURATION',
  stringMap: 'STRING_MAP',
};
const ATTRIBUTES = attributeTypes(
  Object.fromEntries(ATTRIBUTE_VOCABULARY.map(({ name, type }) => [name, TYPES[type]])),
);

test('every example of docs/expressions.md is valid in its language', (t) => {
  const page = readFileSync('docs/expressions.md', 'utf8');
  const [, examples = ''] = page.split('## Examples');
  const [table = ''] = examples.split('\n## ');
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1);
  t.true(rows.length >= 7);
  for (const row of rows) {
    const [, , old = '', cel = ''] = row.replaceAll('\\|', '\u0000').split('|');
    const written: readonly [ExpressionLanguage, string][] = [
      ['legacy', old],
      ['compat', old],
      ['cel', cel],
    ];
    for (const [language, cell] of written) {
      const [, text] = /`(.*)`/.exec(cell.replaceAll('\u0000', '|')) ?? [];
      if (text !== undefined) t.true('type' in checkExpression(text, ATTRIBUTES, language), `${language}: ${text}`);
    }
  }
});
