import test from 'ava';
import { addCount } from '../../src/base/key-counts.js';

test('counts are added by key, and a key whose count is 0 has no entry', (t) => {
  const counts = new Map<string, number>();
  addCount(counts, 'one', 2);
  addCount(counts, 'two', 1);
  addCount(counts, 'one', 3);
  t.deepEqual(
    [...counts],
    [
      ['one', 5],
      ['two', 1],
    ],
  );
  addCount(counts, 'one', -5);
  t.deepEqual([...counts], [['two', 1]]);
  addCount(counts, 'three', 0);
  t.deepEqual([...counts], [['two', 1]]);
});
