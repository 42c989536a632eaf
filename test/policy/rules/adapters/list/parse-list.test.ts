import test from 'ava';
import { parseList } from '../../../../../src/policy/rules/adapters/list/parse-list.js';

test('a list has one entry on each line, without comments and empty lines', (t) => {
  t.deepEqual(parseList('# allowed\na\r\n\n  b c  \n::1\n*.shop: x\n'), ['a', 'b c', '::1', '*.shop: x']);
  t.deepEqual(parseList(''), []);
});

test('a list may be YAML or JSON, alone or as the only field', (t) => {
  const written = ['- a\n- "b"\n- 7', '["a", b, 7]', '# c\nwhitelist:\n- a\n- b\n- "7"', '{"entries": ["a", "b", 7]}'];
  for (const text of [...written, '---\n- a\n- b\n- 7\n']) t.deepEqual(parseList(text), ['a', 'b', '7'], text);
});

test('a document that is no list is an error that says why', (t) => {
  const message = 'it is not a list: write one entry on each line, or a list in YAML';
  t.throws(() => parseList('whitelist: [a]\nmore: [b]'), { message });
  t.throws(() => parseList('{"other": ["a"]}'), { message });
  t.throws(() => parseList('- {a: b}'), { message: 'item 1 is not a text: put it into quotes' });
  t.throws(() => parseList('- a\n- "b'), { message: /^line \d+: / });
  t.throws(() => parseList('['.repeat(1000)), { message: /^line \d+: / });
});

test('a list of too many entries, and a long document in YAML, are refused', (t) => {
  t.is(parseList('a\n'.repeat(10_000)).length, 10_000);
  t.throws(() => parseList('a\n'.repeat(10_001)), { message: 'it has 10001 entries, more than 10000' });
  t.throws(() => parseList(`- ${'a'.repeat(256 * 1024)}`), {
    message: 'it has more than 262144 characters of YAML: write one entry on each line',
  });
});
