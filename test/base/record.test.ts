import test from 'ava';
import { isRecord } from '../../src/base/record.js';

test('mappings of YAML and JSON are records; null, lists and scalars are not', (t) => {
  t.true(isRecord(JSON.parse('{"a":1}')));
  t.true(isRecord(Object.create(null)));
  for (const value of [null, undefined, [], 'text', 1, true]) t.false(isRecord(value));
});
