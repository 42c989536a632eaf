import test from 'ava';
import { BucketedMapWriter } from '../../src/model/bucketed-map.js';
import fc from '../support/property-testing.js';

const key = fc.integer({ min: 0, max: 40 }).map((number) => `host-${number}`);
const step = fc.oneof(
  fc.record({ type: fc.constant('set' as const), key, value: fc.integer() }),
  fc.record({ type: fc.constant('delete' as const), key }),
  fc.record({ type: fc.constant('snapshot' as const) }),
);

test('it has the content of a plain map, and snapshots never change', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const writer = new BucketedMapWriter<number>();
      const plain = new Map<string, number>();
      const taken: { snapshot: ReadonlyMap<string, number>; expected: Map<string, number> }[] = [];
      for (const next of steps) {
        if (next.type === 'set') {
          t.is(writer.set(next.key, next.value), plain.get(next.key) !== next.value);
          plain.set(next.key, next.value);
        } else if (next.type === 'delete') {
          t.is(writer.delete(next.key), plain.delete(next.key));
        } else {
          taken.push({ snapshot: writer.snapshot(), expected: new Map(plain) });
        }
        t.is(writer.size, plain.size);
      }
      for (const { snapshot, expected } of taken) {
        t.deepEqual(new Map([...snapshot].sort()), new Map([...expected].sort()));
        t.is(snapshot.size, expected.size);
      }
    }),
  );
});

test('it finds everything again after it grew', (t) => {
  const writer = new BucketedMapWriter<number>();
  for (let number = 0; number < 20_000; number++) writer.set(`svc-${number}.default.svc.cluster.local`, number);
  const snapshot = writer.snapshot();
  t.is(snapshot.size, 20_000);
  for (let number = 0; number < 20_000; number += 97) {
    const name = `svc-${number}.default.svc.cluster.local`;
    t.is(snapshot.get(name), number);
    t.true(snapshot.has(name));
  }
  t.false(snapshot.has('svc-20000.default.svc.cluster.local'));
  t.is(
    [...snapshot.values()].reduce((sum, value) => sum + value, 0),
    199_990_000,
  );
  t.is([...snapshot.keys()].length, 20_000);
});

test('a snapshot without a change in between is the very same', (t) => {
  const writer = new BucketedMapWriter<number>();
  writer.set('a', 1);
  const first = writer.snapshot();
  writer.set('a', 1);
  writer.delete('b');
  t.is(writer.snapshot(), first);
  writer.set('a', 2);
  t.not(writer.snapshot(), first);
  t.is(first.get('a'), 1);
});

test('forEach hands over the map itself', (t) => {
  const writer = new BucketedMapWriter<number>();
  writer.set('a', 1);
  const snapshot = writer.snapshot();
  const seen: unknown[] = [];
  snapshot.forEach((value, name, map) => {
    seen.push([value, name, map === snapshot]);
  });
  t.deepEqual(seen, [[1, 'a', true]]);
});
