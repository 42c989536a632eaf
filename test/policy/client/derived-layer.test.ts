import test from 'ava';
import { type AttributeValue, stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { type AttributeReader, DerivedLayer } from '../../../src/policy/client/derived-layer.js';

function setUp(given: Readonly<Record<string, string>> = {}) {
  const asked: string[] = [];
  const reader =
    (name: string, value: AttributeValue | undefined): AttributeReader<string> =>
    (facts) => {
      asked.push(`${name} of ${facts}`);
      return value;
    };
  const readers = new Map([
    ['a', reader('a', stringAttribute('1'))],
    ['b', reader('b', undefined)],
    ['c', reader('c', stringAttribute('3'))],
  ]);
  const over = new Map(Object.entries(given).map(([name, value]) => [name, stringAttribute(value)]));
  return { asked, layer: new DerivedLayer('r', readers, over) };
}

test('an attribute is made when it is first asked for, and once, whether it is there or not', (t) => {
  const { asked, layer } = setUp();
  t.deepEqual(asked, []);
  t.is(layer.get('a'), layer.get('a'));
  t.is(layer.get('a')?.value, '1');
  t.is(layer.get('b'), undefined);
  t.false(layer.has('b'));
  t.true(layer.has('a'));
  t.deepEqual(asked, ['a of r', 'b of r']);
});

test('given attributes take precedence over derived ones, which are not derived then', (t) => {
  const { asked, layer } = setUp({ a: 'given', d: 'more' });
  t.is(layer.get('a')?.value, 'given');
  t.is(layer.get('d')?.value, 'more');
  t.deepEqual(asked, []);
});

test('as a whole it is the map of all attributes that are there, given ones included', (t) => {
  const { asked, layer } = setUp({ a: 'given', d: 'more' });
  const whole = [
    ['a', stringAttribute('given')],
    ['c', stringAttribute('3')],
    ['d', stringAttribute('more')],
  ] as const;
  t.deepEqual([...layer], whole as unknown as [string, AttributeValue][]);
  t.deepEqual([...layer.entries()], [...layer]);
  t.deepEqual([...layer.keys()], ['a', 'c', 'd']);
  t.deepEqual(
    [...layer.values()],
    whole.map(([, value]) => value),
  );
  t.is(layer.size, 3);
  const visited: string[] = [];
  layer.forEach((value, name) => {
    visited.push(name);
    t.is(layer.get(name), value);
  });
  t.deepEqual(visited, ['a', 'c', 'd']);
  t.deepEqual(asked, ['b of r', 'c of r']);
});

test('names of JavaScript are not attributes', (t) => {
  t.is(setUp().layer.get('constructor'), undefined);
  t.is(setUp().layer.get('__proto__'), undefined);
});
