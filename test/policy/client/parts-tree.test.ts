import test from 'ava';
import { type Parts, PartsTree } from '../../../src/policy/client/parts-tree.js';
import { processorMs } from '../../support/processor-ms.js';
import fc from '../../support/property-testing.js';

const part = fc.constantFrom('', 'a', 'b', 'ab', '__proto__');
const operations = fc.integer({ min: 0, max: 4 }).chain((length) =>
  fc.array(
    fc.record({
      type: fc.constantFrom('set', 'set', 'delete'),
      parts: fc.array(part, { minLength: length, maxLength: length }),
    }),
    { maxLength: 40 },
  ),
);

test('after any sets and deletes, exactly the remaining keys are found, with their last values', (t) => {
  fc.assert(
    fc.property(operations, (steps) => {
      const tree = new PartsTree<number>();
      const expected = new Map<string, number>();
      for (const [index, { type, parts }] of steps.entries()) {
        if (type === 'set') {
          tree.set(parts, index);
          expected.set(JSON.stringify(parts), index);
        } else {
          tree.delete(parts);
          expected.delete(JSON.stringify(parts));
        }
        for (const { parts: key } of steps) t.is(tree.get(key), expected.get(JSON.stringify(key)));
        t.deepEqual([...tree.values()].sort(), [...expected.values()].sort());
        t.is(tree.isEmpty, expected.size === 0);
      }
    }),
    { numRuns: 500 },
  );
});

test('keys differ by every part, also when their joined parts are equal', (t) => {
  const tree = new PartsTree<string>();
  const keys: readonly Parts[] = [
    ['a', 'bc'],
    ['ab', 'c'],
    ['abc', ''],
    ['', 'abc'],
  ];
  for (const key of keys) tree.set(key, key.join('|'));
  t.deepEqual(
    keys.map((key) => tree.get(key)),
    ['a|bc', 'ab|c', 'abc|', '|abc'],
  );
});

test('10,000 keys that differ in their last part only are found and deleted in time', (t) => {
  const tree = new PartsTree<number>();
  const keys = Array.from({ length: 10_000 }, (_, index) => [...Array<string>(20).fill('same'), `${index}`]);
  const spentMs = processorMs(() => {
    for (const [index, key] of keys.entries()) tree.set(key, index);
    t.true(keys.every((key, index) => tree.get(key) === index));
    for (const key of keys) tree.delete(key);
    t.true(tree.isEmpty);
  });
  t.true(spentMs < 2_000, `${spentMs} ms`);
});
