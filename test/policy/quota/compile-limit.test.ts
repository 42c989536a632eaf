import test from 'ava';
import { createPolicyServerConfigReader } from '../../../src/config/policy-server/read-policy-server-config.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import {
  type AttributeValue,
  boolAttribute,
  bytesAttribute,
  doubleAttribute,
  durationAttribute,
  int64Attribute,
  stringAttribute,
  stringMapAttribute,
  timestampAttribute,
} from '../../../src/policy/client/attribute-value.js';
import { compileLimit } from '../../../src/policy/quota/compile-limit.js';
import { shortestMs } from '../../support/shortest-ms.js';

const read = createPolicyServerConfigReader(createSchemaCompiler());

/** A limit as it is written in the file. */
function compile(fields: object) {
  const result = read({ quotas: [{ name: 'q', maxAmount: 1, validDuration: '1m', ...fields }] });
  const [limit] = result.type === 'valid' ? result.value.quotas : [];
  if (limit === undefined) throw new Error(JSON.stringify(result));
  return compileLimit(limit);
}

const bag = (attributes: Readonly<Record<string, AttributeValue>>) => bagOf(new Map(Object.entries(attributes)));

const VALUES: readonly (readonly [string, AttributeValue, string])[] = [
  ['a string', stringAttribute('gold'), 'gold'],
  ['an empty string', stringAttribute(''), ''],
  ['a whole number', int64Attribute(-(2n ** 63n)), '-9223372036854775808'],
  ['a fraction', doubleAttribute(1.5), '1.5'],
  ['true', boolAttribute(true), 'true'],
  ['false', boolAttribute(false), 'false'],
  ['an IPv4 address', bytesAttribute(Uint8Array.of(10, 0, 0, 1)), '10.0.0.1'],
  [
    'an IPv6 address',
    bytesAttribute(Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
    '2001:db8::1',
  ],
  ['IPv4 in IPv6', bytesAttribute(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1)), '10.0.0.1'],
  ['other bytes', bytesAttribute(Uint8Array.of(1, 255)), '01ff'],
  ['a time', timestampAttribute(1_000n), '1000'],
  ['a duration', durationAttribute(5n), '5'],
  [
    'a whole map, in order',
    stringMapAttribute(
      new Map([
        ['b', '2'],
        ['a', '1'],
      ]),
    ),
    '[["a","1"],["b","2"]]',
  ],
];

for (const [name, value, text] of VALUES) {
  test(`a request is counted by ${name} as ${JSON.stringify(text)}`, (t) => {
    const limit = compile({ dimensions: ['x'], overrides: [{ dimensions: { x: text }, maxAmount: 7 }] });
    t.is(limit.resolve(bag({ x: value })).maxAmount, 7);
    t.is(limit.resolve(bag({ x: value })).counter.key, `${text.length}:${text}`);
  });
}

test('an override may write an address in another way than it is counted', (t) => {
  const x = bytesAttribute(Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1));
  const overrides = [
    { dimensions: { x: '2001:0DB8:0::1' }, maxAmount: 7 },
    { dimensions: { x: '::ffff:10.0.0.1' }, maxAmount: 8 },
  ];
  const limit = compile({ dimensions: ['x'], overrides });
  t.is(limit.resolve(bag({ x })).maxAmount, 7);
  t.is(limit.resolve(bag({ x: stringAttribute('2001:0DB8:0::1') })).maxAmount, 7, 'and as a text');
  t.is(limit.resolve(bag({ x: bytesAttribute(Uint8Array.of(10, 0, 0, 1)) })).maxAmount, 8);
});

test('an entry of a map is looked up by its key; headers in any case', (t) => {
  const limit = compile({ dimensions: ['request.headers[X-User]'] });
  const headers = (entries: readonly (readonly [string, string])[]) =>
    limit.resolve(bag({ 'request.headers': stringMapAttribute(new Map(entries)) }));
  t.is(headers([['x-user', 'ann']]).counter.key, '3:ann');
  t.deepEqual(headers([['x-user', 'ann']]).referenced, [
    { name: 'request.headers', mapKey: 'x-user', condition: 'EXACT' },
  ]);
  t.is(headers([]).counter.key, '0:');
  t.deepEqual(headers([]).referenced, [{ name: 'request.headers', mapKey: 'x-user', condition: 'ABSENCE' }]);
  t.is(limit.resolve(bag({ 'request.headers': stringAttribute('x-user') })).counter.key, '0:', 'no map');
});

test('an absent attribute counts as the empty text, which an override may name', (t) => {
  const limit = compile({ dimensions: ['x'], overrides: [{ dimensions: { x: '' }, maxAmount: 7 }] });
  t.is(limit.resolve(bag({})).maxAmount, 7);
  t.is(limit.resolve(bag({})).counter.key, limit.resolve(bag({ x: stringAttribute('') })).counter.key);
});

test('no two lists of values share a counter', (t) => {
  const limit = compile({ dimensions: ['x', 'y'] });
  const key = (x: string, y: string) =>
    limit.resolve(bag({ x: stringAttribute(x), y: stringAttribute(y) })).counter.key;
  const keys = [key('a', 'b'), key('ab', ''), key('', 'ab'), key('b', 'a'), key('1:a', ''), key('', '1:a')];
  t.is(new Set(keys).size, keys.length);
});

test('a long value takes a key of bounded length, and still its own', (t) => {
  const limit = compile({ dimensions: ['x'] });
  const key = (x: string) => limit.resolve(bag({ x: stringAttribute(x) })).counter.key;
  const long = 'x'.repeat(1_000_000);
  t.true(key(long).length < 64);
  t.not(key(`${long}1`), key(`${long}2`));
  t.is(key(long), key(long));
});

const OVERRIDES = [
  { dimensions: { x: 'a' }, maxAmount: 1 },
  { dimensions: { y: 'b' }, maxAmount: 2 },
  { dimensions: { x: 'a', y: 'b' }, maxAmount: 3 },
  { dimensions: { x: 'c', y: 'b', z: 'd' }, maxAmount: 4 },
  { dimensions: { z: 'd' }, maxAmount: 5, validDuration: '1s' },
  { dimensions: { x: 'late' }, maxAmount: 6 },
];

const CHOICES: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
  [{ x: 'a' }, 1],
  [{ y: 'b' }, 2],
  [{ x: 'a', y: 'b' }, 3],
  [{ x: 'a', y: 'b', z: 'd' }, 3],
  [{ x: 'c', y: 'b', z: 'd' }, 4],
  [{ x: 'a', z: 'd' }, 1],
  [{ y: 'b', z: 'd' }, 2],
  [{ z: 'd' }, 5],
  [{ x: 'late', z: 'd' }, 5],
  [{ x: 'late' }, 6],
  [{ x: 'z' }, 99],
  [{}, 99],
];

for (const [values, expected] of CHOICES) {
  test(`of overrides that hold, the one with most dimensions is used, then the first: ${JSON.stringify(values)}`, (t) => {
    const limit = compile({ maxAmount: 99, dimensions: ['x', 'y', 'z'], overrides: OVERRIDES });
    const attributes = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, stringAttribute(value)]));
    t.is(limit.resolve(bag(attributes)).maxAmount, expected);
  });
}

test('an override with a window of its own counts in it, others share the counters of the quota', (t) => {
  const limit = compile({ dimensions: ['x', 'y', 'z'], overrides: OVERRIDES });
  const own = limit.resolve(bag({})).counter;
  t.is(limit.resolve(bag({ x: stringAttribute('a') })).counter.group, own.group);
  const other = limit.resolve(bag({ z: stringAttribute('d') })).counter;
  t.not(other.group, own.group);
  t.is(other.shape.durationMs, 1000);
  t.deepEqual([...limit.groups].sort(), [own.group, other.group].sort());
});

test('10,000 overrides are found as fast as one', (t) => {
  const lookUpMs = (count: number): number => {
    const overrides = Array.from({ length: count }, (_, n) => ({ dimensions: { x: `k${n}` }, maxAmount: n + 1 }));
    const limit = compile({ dimensions: ['x'], overrides });
    const last = bag({ x: stringAttribute(`k${count - 1}`) });
    t.is(limit.resolve(last).maxAmount, count);
    return shortestMs(() => {
      for (let n = 0; n < 10_000; n++) limit.resolve(last);
    });
  };
  const [one, many] = [lookUpMs(1), lookUpMs(10_000)];
  t.true(many < 50 * Math.max(one, 2), `${many} ms against ${one} ms`);
});
