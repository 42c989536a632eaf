import test from 'ava';
import fc from 'fast-check';
import { createRecencyList, type RecencyLink } from '../../../src/policy/client/recency-list.js';

test('items come out in the order in which they were used last', (t) => {
  const step = fc.record({ type: fc.constantFrom('add', 'touch', 'remove'), pick: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const list = createRecencyList<number>();
      const expected: RecencyLink<number>[] = [];
      steps.forEach(({ type, pick }, number) => {
        if (type === 'add') return void expected.push(list.add(number));
        const [link] = expected.splice(pick % Math.max(expected.length, 1), 1);
        if (link === undefined) return;
        if (type === 'remove') return list.remove(link);
        list.touch(link);
        expected.push(link);
      });
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
