import test from 'ava';
import { overlaps, parseAddressRange } from '../../../../../src/base/address-range.js';
import { inOneStep } from '../../../../../src/base/steps.js';
import { createRegexPrograms } from '../../../../../src/config/regex/regex-programs.js';
import { compileList } from '../../../../../src/policy/rules/adapters/list/compile-list.js';
import fc from '../../../../support/property-testing.js';

const WITH = { programs: createRegexPrograms({ scope: 'any part' }), owner: 'shop' };
const compile = (type: Parameters<typeof compileList>[0], ...entries: readonly string[]) =>
  inOneStep(compileList(type, entries, WITH));

test('texts are compared whole, with or without case', (t) => {
  const strings = compile('STRINGS', 'a', 'B');
  t.deepEqual(['a', 'A', 'b', 'ab'].map(strings), [true, false, false, false]);
  const either = compile('CASE_INSENSITIVE_STRINGS', 'a', 'B');
  t.deepEqual(['a', 'A', 'b', 'ab'].map(either), [true, true, true, false]);
});

test('an expression may match any part of the value', (t) => {
  const expressions = compile('REGEX', ...Array.from({ length: 70 }, (_, index) => `x${index}$`), '^a+');
  t.deepEqual(['aab', 'ba', 'wx69', 'wx70'].map(expressions), [true, false, true, false]);
});

test('entries that cannot be read are errors that name their place', (t) => {
  t.throws(() => compile('IP_ADDRESSES', '10.0.0.1', '10.0.0.300'), { message: 'entry 2 is not an address' });
  t.throws(() => compile('REGEX', ...Array.from({ length: 40 }, () => 'a'), '('), {
    message: /^entry 41 is not a regular expression: /,
  });
  t.throws(() => compile('REGEX', '(((a{100}){10}){1000}'), { message: /^entry 1 / });
});

test('addresses are found as if each range were compared', (t) => {
  const address = fc.tuple(fc.constantFrom('10.0', '10.1', '192.168'), fc.nat(3), fc.nat(255));
  const text = ([net, third, fourth]: readonly [string, number, number]): string => `${net}.${third}.${fourth}`;
  const range = fc.tuple(address, fc.constantFrom('', '/16', '/24', '/30', '/0')).map(([a, bits]) => text(a) + bits);
  fc.assert(
    fc.property(fc.array(range, { maxLength: 20 }), fc.array(address, { maxLength: 10 }), (ranges, asked) => {
      const contains = compile('IP_ADDRESSES', ...ranges);
      for (const each of asked.map(text)) {
        const own = parseAddressRange(each);
        const expected = ranges.some((entry) => {
          const other = parseAddressRange(entry);
          return own !== undefined && other !== undefined && overlaps(own, other);
        });
        t.is(contains(each), expected);
      }
    }),
    { numRuns: 100 },
  );
  const six = compile('IP_ADDRESSES', '2001:db8::/32', '::ffff:10.0.0.1');
  t.deepEqual(['2001:db8::1', '2001:db9::1', '10.0.0.1', '10.0.0.2'].map(six), [true, false, true, false]);
  t.deepEqual(['shop', '10.0.0.1/32', ''].map(six), ['unreadable', 'unreadable', 'unreadable']);
});
