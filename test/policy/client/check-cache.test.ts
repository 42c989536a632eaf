import test from 'ava';
import { type AttributeBag, bagOf } from '../../../src/policy/client/attribute-bag.js';
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
import { createCheckCache } from '../../../src/policy/client/check-cache.js';
import { MAX_PATTERNS_PER_SCOPE } from '../../../src/policy/client/referenced-cache.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { allow, deny } from '../../support/policy-server.js';
import fc from '../../support/property-testing.js';

function bag(attributes: Readonly<Record<string, AttributeValue>>): AttributeBag {
  return bagOf(new Map(Object.entries(attributes)));
}

const user = (name: string) => bag({ 'source.user': stringAttribute(name) });
const EXACT_USER = [{ name: 'source.user', condition: 'EXACT' }] as const;

test('EXACT finds an answer for requests with an equal value only', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  cache.store(user('ann'), deny('no', { referencedAttributes: EXACT_USER }));
  t.is(cache.find(user('ann'))?.status.message, 'no');
  t.is(cache.find(user('bob')), undefined);
  t.is(cache.find(bag({})), undefined);
});

test('ABSENCE finds an answer for requests without the attribute only', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  cache.store(bag({}), allow({ referencedAttributes: [{ name: 'source.user', condition: 'ABSENCE' }] }));
  t.truthy(cache.find(bag({ other: boolAttribute(true) })));
  t.is(cache.find(user('')), undefined);
});

test('an answer with a REGEX condition is not cached', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  cache.store(
    user('ann'),
    allow({ referencedAttributes: [...EXACT_USER, { name: 'source.user', condition: 'REGEX' }] }),
  );
  t.is(cache.size, 0);
});

test('map entries are compared by key, other entries do not matter', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  const headers = (entries: Record<string, string>) =>
    bag({ 'request.headers': stringMapAttribute(new Map(Object.entries(entries))) });
  const referencedAttributes = [
    { name: 'request.headers', mapKey: 'tier', condition: 'EXACT' },
    { name: 'request.headers', mapKey: 'debug', condition: 'ABSENCE' },
  ] as const;
  cache.store(headers({ tier: 'gold', id: '1' }), allow({ referencedAttributes }));
  t.truthy(cache.find(headers({ tier: 'gold', id: '2' })));
  t.is(cache.find(headers({ tier: 'free' })), undefined);
  t.is(cache.find(headers({ tier: 'gold', debug: '' })), undefined);
  t.is(cache.find(bag({})), undefined);
});

test('an answer without references is not cached; one with an empty list holds for all requests', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  const { referencedAttributes: _, ...unknown } = allow();
  cache.store(user('ann'), unknown);
  t.is(cache.size, 0);
  cache.store(user('ann'), allow());
  t.truthy(cache.find(user('bob')));
});

test('an answer that does not fit its own request is not cached', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  cache.store(bag({}), allow({ referencedAttributes: EXACT_USER }));
  t.is(cache.size, 0);
});

test('an answer lives for valid_duration, and forever without one', (t) => {
  const clock = createFakeClock();
  const cache = createCheckCache({ clock });
  cache.store(user('ann'), allow({ referencedAttributes: EXACT_USER, validDurationMs: 1000 }));
  cache.store(user('bob'), allow({ referencedAttributes: EXACT_USER }));
  clock.advance(999);
  t.truthy(cache.find(user('ann')));
  clock.advance(1);
  t.is(cache.find(user('ann')), undefined);
  clock.advance(1e12);
  t.truthy(cache.find(user('bob')));
  t.is(cache.size, 1);
});

test('valid_use_count is how often an answer is used; 0 never, negative without limit', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  const uses = (validUseCount: number) => {
    cache.store(user('ann'), allow({ referencedAttributes: EXACT_USER, validUseCount }));
    return [1, 2, 3, 4].filter(() => cache.find(user('ann')) !== undefined).length;
  };
  t.deepEqual([uses(2), uses(0), uses(-1), uses(1)], [2, 0, 4, 1]);
});

test('a new answer replaces the previous one, for any order of its references', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  const references = [...EXACT_USER, { name: 'x', condition: 'ABSENCE' }] as const;
  cache.store(user('ann'), deny('old', { referencedAttributes: references }));
  cache.store(user('ann'), deny('new', { referencedAttributes: [...references].reverse() }));
  t.is(cache.find(user('ann'))?.status.message, 'new');
  t.is(cache.size, 1);
});

test('the least recently used answer goes first', (t) => {
  const cache = createCheckCache({ clock: createFakeClock(), maxEntries: 2 });
  cache.store(user('ann'), allow({ referencedAttributes: EXACT_USER }));
  cache.store(user('bob'), allow({ referencedAttributes: EXACT_USER }));
  cache.find(user('ann'));
  cache.store(user('eve'), allow({ referencedAttributes: EXACT_USER }));
  t.deepEqual(
    ['ann', 'bob', 'eve'].map((name) => cache.find(user(name)) !== undefined),
    [true, false, true],
  );
});

test('the cache holds 10,000 answers by default', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  for (let n = 0; n <= 10_000; n++) cache.store(user(`u${n}`), allow({ referencedAttributes: EXACT_USER }));
  t.is(cache.size, 10_000);
  t.is(cache.find(user('u0')), undefined);
  t.truthy(cache.find(user('u10000')));
});

test('a server that references ever other attributes cannot make lookups slow', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  for (let n = 0; n < 1000; n++) {
    cache.store(bag({}), allow({ referencedAttributes: [{ name: `a${n}`, condition: 'ABSENCE' }] }));
  }
  t.is(cache.size, MAX_PATTERNS_PER_SCOPE);
});

test('a denial keeps its route directive in the cache', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  cache.store(bag({}), deny('no', { routeDirective: { directResponseCode: 418 } }));
  t.deepEqual(cache.find(bag({}))?.routeDirective, { directResponseCode: 418 });
});

const text = stringAttribute;
const map = (...entries: [string, string][]) => stringMapAttribute(new Map(entries));
const DIFFERENT: readonly (readonly [string, readonly AttributeValue[], readonly AttributeValue[]])[] = [
  ['where one text ends and the next begins', [text(''), text('s')], [text('s'), text('')]],
  ['the sign of zero', [doubleAttribute(0), text('')], [doubleAttribute(-0), text('')]],
  ['the type of a number', [int64Attribute(1), text('')], [doubleAttribute(1), text('')]],
  ['a time from a duration', [timestampAttribute(1n), text('')], [durationAttribute(1n), text('')]],
  ['bytes from a text', [bytesAttribute(new Uint8Array([97])), text('')], [text('a'), text('')]],
  ['keys of a map from its values', [map(['a', 'b']), text('')], [map(['b', 'a']), text('')]],
];

for (const [what, [a, b], [otherA, otherB]] of DIFFERENT) {
  test(`answers distinguish ${what}`, (t) => {
    const cache = createCheckCache({ clock: createFakeClock() });
    const referencedAttributes = [
      { name: 'a', condition: 'EXACT' },
      { name: 'b', condition: 'EXACT' },
    ] as const;
    if (!a || !b || !otherA || !otherB) throw new Error('a row needs two values on each side');
    cache.store(bag({ a, b }), allow({ referencedAttributes }));
    t.truthy(cache.find(bag({ a, b })));
    t.is(cache.find(bag({ a: otherA, b: otherB })), undefined);
  });
}

const bytes = (value: string) => bytesAttribute(Buffer.from(value, 'latin1'));
/** Each different from all others, and much alike: texts that read like what other values might be written as. */
const ALIKE: readonly AttributeValue[] = [
  ...['1', '', '\0', '\0s', '\0i1', '\0d1', '\0t1', '\0u1', '\0x1', '\0s\0i1', '\0btrue', '\0m0:', 'true'].map(text),
  ...[int64Attribute(1n), doubleAttribute(1), timestampAttribute(1n), durationAttribute(1n), boolAttribute(true)],
  ...[bytes('1'), bytes('\0i1'), bytes('s'), map(), map(['1', '']), map(['', '1'])],
];

test('different values of any types are never confused', (t) => {
  const referencedAttributes = [{ name: 'a', condition: 'EXACT' }] as const;
  for (const [index, a] of ALIKE.entries()) {
    const cache = createCheckCache({ clock: createFakeClock() });
    cache.store(bag({ a }), allow({ referencedAttributes }));
    for (const [other, value] of ALIKE.entries()) {
      t.is(cache.find(bag({ a: value })) !== undefined, index === other, `${index} and ${other}`);
    }
  }
});

test('the order of a map does not matter', (t) => {
  const cache = createCheckCache({ clock: createFakeClock() });
  const labels = (...entries: [string, string][]) => bag({ labels: map(...entries) });
  cache.store(
    labels(['x', '1'], ['y', '2']),
    allow({ referencedAttributes: [{ name: 'labels', condition: 'EXACT' }] }),
  );
  t.truthy(cache.find(labels(['y', '2'], ['x', '1'])));
});

const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.string().map(stringAttribute),
  fc.bigInt({ min: -3n, max: 3n }).map(int64Attribute),
  fc.constantFrom(0, -0, 1, Number.NaN).map(doubleAttribute),
  fc.boolean().map(boolAttribute),
  fc.uint8Array({ maxLength: 3 }).map(bytesAttribute),
  fc.bigInt({ min: -3n, max: 3n }).map(timestampAttribute),
  fc.bigInt({ min: -3n, max: 3n }).map(durationAttribute),
  fc
    .dictionary(fc.constantFrom('a', 'b'), fc.string({ maxLength: 2 }))
    .map((map) => stringMapAttribute(new Map(Object.entries(map)))),
);

test('an answer is found exactly for requests with equal referenced values, of any type', (t) => {
  const names = [
    { name: 'a', condition: 'EXACT' },
    { name: 'b', condition: 'EXACT' },
  ] as const;
  const canonical = ({ type, value: content }: AttributeValue) => {
    if (type === 'stringMap') return JSON.stringify([type, [...content].sort()]);
    if (type === 'bytes') return JSON.stringify([type, [...content]]);
    return JSON.stringify([type, Object.is(content, -0) ? '-0' : String(content)]);
  };
  fc.assert(
    fc.property(value, value, value, value, (a, b, otherA, otherB) => {
      const cache = createCheckCache({ clock: createFakeClock() });
      cache.store(bag({ a, b }), allow({ referencedAttributes: names }));
      const isEqual = canonical(a) === canonical(otherA) && canonical(b) === canonical(otherB);
      return (
        cache.find(bag({ b, a, c: otherA })) !== undefined &&
        (cache.find(bag({ a: otherA, b: otherB })) !== undefined) === isEqual
      );
    }),
    { numRuns: 1000 },
  );
  t.pass();
});
