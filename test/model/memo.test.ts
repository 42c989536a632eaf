import test from 'ava';
import { createMemo, memoize } from '../../src/model/memo.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { eventually } from '../support/eventually.js';

function counting() {
  let built = 0;
  return { memo: createMemo<number>(), build: () => ++built };
}

test('a result is computed once for the same objects and key', (t) => {
  const { memo, build } = counting();
  const [mesh, service] = [{}, {}];
  t.is(memo.of([mesh, service], 'a', build), 1);
  t.is(memo.of([mesh, service], 'a', build), 1);
});

test('another object at any place, another order and another key have results of their own', (t) => {
  const { memo, build } = counting();
  const [first, second] = [{}, {}];
  const results = [
    memo.of([first, second], '', build),
    memo.of([second, first], '', build),
    memo.of([first, first], '', build),
    memo.of([first, second], 'key', build),
  ];
  t.deepEqual(results, [1, 2, 3, 4]);
  t.is(memo.of([first, second], '', build), 1);
});

test('beyond the limit of keys, the result that was not used for the longest time is computed again', (t) => {
  const memo = createMemo<number | undefined>(2);
  const mesh = {};
  const built: string[] = [];
  const of = (key: string, value?: number) =>
    memo.of([mesh], key, () => {
      built.push(key);
      return value;
    });
  of('a');
  of('b', 1);
  t.is(of('a'), undefined);
  of('c', 2);
  t.is(of('a'), undefined);
  t.deepEqual(built, ['a', 'b', 'c']);
  t.is(of('b', 3), 3);
  t.is(
    memo.of([{}], 'c', () => 4),
    4,
  );
});

test('undefined is a result like any other', (t) => {
  const memo = createMemo<undefined>();
  const subject = {};
  let built = 0;
  const build = (): undefined => void built++;
  memo.of([subject], '', build);
  memo.of([subject], '', build);
  t.is(built, 1);
});

test('fewer or more objects than before are refused', (t) => {
  const { memo, build } = counting();
  const mesh = {};
  memo.of([mesh, {}], '', build);
  t.throws(() => memo.of([mesh], '', build), { instanceOf: TypeError });
  const other = createMemo<number>();
  other.of([mesh], '', build);
  t.throws(() => other.of([mesh, {}], '', build), { instanceOf: TypeError });
});

test('a memoized function is called once for each object', (t) => {
  let calls = 0;
  const sizeOf = memoize((list: readonly string[]) => {
    calls++;
    return list.length;
  });
  const list = ['a', 'b'];
  t.deepEqual([sizeOf(list), sizeOf(list), sizeOf(['c'])], [2, 2, 1]);
  t.is(calls, 2);
});

for (const gone of [0, 1, 2]) {
  test(`a result is forgotten when its object at place ${gone} is gone, whatever else lives on`, async (t) => {
    const memo = createMemo<object>();
    const held = [{}, {}, {}];
    const [first, second, third] = held;
    const result = (() => {
      const [one = {}, two = {}, three = {}] = held.map((object, place) => (place === gone ? {} : object));
      return new WeakRef(memo.of([one, two, three], '', () => ({ result: true })));
    })();
    // WeakRefs hold their objects until the end of the job that made them.
    await eventually('the result is collected', () => {
      collectGarbage();
      return result.deref() === undefined;
    });
    const kept = memo.of([first ?? {}, second ?? {}, third ?? {}], '', () => ({ result: true }));
    collectGarbage();
    t.is(
      memo.of([first ?? {}, second ?? {}, third ?? {}], '', () => ({})),
      kept,
    );
  });
}
