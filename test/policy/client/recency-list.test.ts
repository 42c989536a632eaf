import test from 'ava';
import { createRecencyList, type RecencyLink } from '../../../src/policy/client/recency-list.js';
import fc from '../../support/property-testing.js';

test('items are returned in the order of their last use', (t) => {
  const step = fc.record({ type: fc.constantFrom('add', 'touch', 'remove'), pick: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const list = createRecencyList<number>();
      const expected: RecencyLink<number>[] = [];
      for (const [number, { type, pick }] of steps.entries()) {
        if (type === 'add') {
          expected.push(list.add(number));
          continue;
        }
        const [link] = expected.splice(pick % Math.max(expected.length, 1), 1);
        if (link === undefined) continue;
        if (type === 'remove') {
          list.remove(link);
        } else {
          list.touch(link);
          expected.push(link);
        }
      }
      const found: number[] = [];
      for (let link = list.oldest(); link !== undefined; link = list.oldest()) {
        found.push(link.item);
        list.remove(link);
      }
      t.deepEqual(
        found,
        expected.map(({ item }) => item),
      );
    }),
  );
});
