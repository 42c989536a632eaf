import test from 'ava';
import { DurationSyntaxError, parseDuration } from '../../src/base/parse-duration.js';
import fc from '../support/property-testing.js';

const MS_PER_UNIT = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 0.001, µs: 0.001, ns: 0.000001 };

const accepted: readonly (readonly [string, number])[] = [
  ['0', 0],
  ['-0', 0],
  ['+0', 0],
  ['0s', 0],
  ['10s', 10_000],
  ['100ms', 100],
  ['1.5s', 1500],
  ['1.1s', 1100],
  ['.5s', 500],
  ['5.s', 5000],
  ['1h30m', 5_400_000],
  ['1h15m30.918273645s', 4_530_918.273645],
  ['2us', 0.002],
  ['2µs', 0.002],
  ['2μs', 0.002],
  ['1ns', 0.000001],
  ['-1.5h', -5_400_000],
  ['+5s', 5000],
  ['3m2h', 7_380_000],
  ['0.000000000001s', 0],
  ['2562047h47m16.854775807s', 9_223_372_036_854.775],
];

for (const [text, expected] of accepted) {
  test(`${text} is ${expected} milliseconds`, (t) => {
    t.is(parseDuration(text), expected);
  });
}

const refused = [
  '',
  '10',
  '-',
  '+',
  's',
  '.s',
  '.',
  '1',
  '1.5',
  '1d',
  '1 s',
  ' 1s',
  '1s ',
  '1S',
  '--1s',
  '1e3s',
  '3000000h',
];

for (const text of refused) {
  test(`"${text}" is refused with valid examples`, (t) => {
    const error = t.throws(() => parseDuration(text), { instanceOf: DurationSyntaxError });
    t.is(error.code, 'INVALID_DURATION');
    t.true(error.message.startsWith(JSON.stringify(text)), error.message);
    t.regex(error.message, /300ms/);
  });
}

test('a very long text is refused quickly and shortened in the message', (t) => {
  const error = t.throws(() => parseDuration('1'.repeat(1_000_000)), { instanceOf: DurationSyntaxError });
  t.true(error.message.length < 300);
});

test('a duration of several terms is their sum', (t) => {
  const term = fc.record({
    count: fc.nat(100_000),
    unit: fc.constantFrom(...(Object.keys(MS_PER_UNIT) as (keyof typeof MS_PER_UNIT)[])),
  });
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 6 }), fc.boolean(), (terms, negative) => {
      const text = terms.map(({ count, unit }) => `${count}${unit}`).join('');
      const sum = terms.reduce((total, { count, unit }) => total + count * MS_PER_UNIT[unit], 0);
      const parsed = parseDuration(negative ? `-${text}` : text);
      t.true(Math.abs(Math.abs(parsed) - sum) <= 1e-9 * Math.max(1, sum), `${text}: ${parsed}, not ${sum}`);
    }),
  );
});

test('no text causes another error', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.hmsuµn+- ') }), (text) => {
      try {
        t.true(Number.isFinite(parseDuration(text)));
      } catch (error) {
        t.true(error instanceof DurationSyntaxError, String(error));
      }
    }),
  );
});
