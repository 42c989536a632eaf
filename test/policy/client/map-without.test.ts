import test from 'ava';
import { MapWithout } from '../../../src/policy/client/map-without.js';
import fc from '../../support/property-testing.js';

test('it is in every way the map without the key', (t) => {
  const key = fc.constantFrom('a', 'b', 'c', '__proto__');
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat())), key, (entries, left) => {
      const view = new MapWithout(new Map(entries), left);
      const expected = new Map(entries);
      expected.delete(left);
      t.is(view.size, expected.size);
      t.deepEqual([...view], [...expected]);
      t.deepEqual([...view.entries()], [...expected]);
      t.deepEqual([...view.keys()], [...expected.keys()]);
      t.deepEqual([...view.values()], [...expected.values()]);
      for (const each of ['a', 'b', 'c', '__proto__'] as const) {
        t.is(view.get(each), expected.get(each));
        t.is(view.has(each), expected.has(each));
      }
      const visited: unknown[] = [];
      view.forEach((value, name, map) => {
        visited.push([name, value]);
        t.is(map, view);
      });
      t.deepEqual(visited, [...expected]);
    }),
  );
});
