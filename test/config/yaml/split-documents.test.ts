import test from 'ava';
import { createYamlParser } from '../../../src/config/yaml/parse-document.js';
import { splitDocuments } from '../../../src/config/yaml/split-documents.js';
import fc from '../../support/property-testing.js';

function split(text: string): readonly (readonly [number, string])[] {
  return splitDocuments(text).map(({ line, text: part }) => [line, part]);
}

test('documents count from 1 and know their lines; empty ones do not count', (t) => {
  const text = '# head\n---\n# only a comment\n---\na: 1\n---\n\n---\nb: 2\n---\n';
  t.deepEqual(splitDocuments(text), [
    { index: 1, line: 4, text: '---\na: 1\n' },
    { index: 2, line: 8, text: '---\nb: 2\n' },
  ]);
});

test('content may follow a marker on its line, and three dots end a document', (t) => {
  t.deepEqual(split('--- {a: 1}\n...\nb: 2\n'), [
    [1, '--- {a: 1}\n'],
    [3, 'b: 2\n'],
  ]);
});

test('directives stay with their document', (t) => {
  t.deepEqual(
    split('%YAML 1.2\n---\na: 1\n...\n# x\n%YAML 1.2\n---\nb: 2\n').map(([line]) => line),
    [1, 5],
  );
});

test('dashes that resemble a marker are content', (t) => {
  t.is(split('a: |\n  ---\n  x\nb: ---x\n----\n').length, 1);
});

test('Windows line ends and a byte order mark are accepted', (t) => {
  t.deepEqual(split('\uFEFFa: 1\r\n---\r\nb: 2\r\n'), [
    [1, 'a: 1\r\n'],
    [2, '---\r\nb: 2\r\n'],
  ]);
});

test('an empty text has no documents', (t) => {
  t.deepEqual(split(''), []);
  t.deepEqual(split('\n# nothing\n---\n...\n'), []);
});

test('any joined documents are split again, each with its line', (t) => {
  const parse = createYamlParser();
  const value = fc.array(fc.string({ unit: fc.constantFrom('a', '-', ' ', '\n', '#', '.') }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
      const text = values
        .map((each) => `---\n${each.map((item) => `- ${JSON.stringify(item)}`).join('\n')}\n`)
        .join('');
      const documents = splitDocuments(text);
      t.deepEqual(
        documents.map((document) => parse(document.text)),
        values.map((each) => ({ type: 'value', value: each })),
      );
      const lines = text.split('\n');
      t.true(documents.every(({ line }) => lines[line - 1] === '---'));
    }),
  );
});
