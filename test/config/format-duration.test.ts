import test from 'ava';
import { DurationSyntaxError, LONGEST_DURATION_NS, parseDurationNs } from '../../src/base/parse-duration.js';
import { duration } from '../../src/cli/values/scalar-types.js';
import { formatDuration } from '../../src/config/format-duration.js';
import fc from '../support/property-testing.js';

const GOOD: readonly (readonly [string, bigint])[] = [
  ['0', 0n],
  ['-0', 0n],
  ['0s', 0n],
  ['1h30m', 5_400_000_000_000n],
  ['1.5s', 1_500_000_000n],
  ['1.s', 1_000_000_000n],
  ['.5s', 500_000_000n],
  ['100ms', 100_000_000n],
  ['-100ms', -100_000_000n],
  ['+5s', 5_000_000_000n],
  ['1µs', 1_000n],
  ['1μs', 1_000n],
  ['1us2ns', 1_002n],
  ['0.3333333333333333333h', 1_199_999_999_999n],
  ['0.9ns', 0n],
  ['1m1m', 120_000_000_000n],
  ['87600h0m0s', 315_360_000_000_000_000n],
  ['2562047h47m16.854775807s', LONGEST_DURATION_NS],
  ['-2562047h47m16.854775807s', -LONGEST_DURATION_NS],
];

for (const [text, expected] of GOOD) {
  test(`the duration ${text} is ${expected} ns`, (t) => {
    t.is(parseDurationNs(text), expected);
  });
}

const BAD = [
  '',
  '-',
  '+',
  '.',
  's',
  '.s',
  '1',
  '1.5',
  '3 s',
  ' 1s',
  '1s ',
  '1S',
  '1d',
  '1x',
  '1hm',
  '--1s',
  '1s-2s',
  'constructor',
  '1toString',
  '0x1s',
  'NaN',
  '1e3s',
];

for (const text of BAD) {
  test(`the text ${JSON.stringify(text)} is not a duration`, (t) => {
    t.throws(() => parseDurationNs(text), { instanceOf: DurationSyntaxError });
    const parsed = duration().parse([text]);
    t.regex(parsed.ok ? '' : parsed.allowed, /^a duration such as 1h30m/);
  });
}

for (const text of ['2562047h47m16.854775808s', '9223372036854775808ns', '3000000h', `${'9'.repeat(400)}h`]) {
  test(`a duration beyond 64 bits of nanoseconds is refused: ${text.slice(0, 30)}`, (t) => {
    t.throws(() => parseDurationNs(text), { instanceOf: DurationSyntaxError });
    const parsed = duration().parse([text]);
    t.regex(parsed.ok ? '' : parsed.allowed, /2562047h47m16.854775807s/);
  });
}

test('a duration with megabytes of digits is refused at once', (t) => {
  t.throws(() => parseDurationNs(`${'9'.repeat(5_000_000)}h`), { instanceOf: DurationSyntaxError });
});

const FORMATTED: readonly (readonly [bigint, string])[] = [
  [0n, '0s'],
  [1n, '1ns'],
  [1_100n, '1.1µs'],
  [2_200_000n, '2.2ms'],
  [100_000_000n, '100ms'],
  [3_300_000_000n, '3.3s'],
  [60_000_000_000n, '1m0s'],
  [245_000_000_000n, '4m5s'],
  [245_001_000_000n, '4m5.001s'],
  [3_600_000_000_000n, '1h0m0s'],
  [-3_600_000_000_000n, '-1h0m0s'],
  [LONGEST_DURATION_NS, '2562047h47m16.854775807s'],
];

for (const [nanoseconds, expected] of FORMATTED) {
  test(`${nanoseconds} ns is written ${expected}`, (t) => {
    t.is(formatDuration(nanoseconds), expected);
  });
}

test('every formatted duration is parsed as the same duration', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: -LONGEST_DURATION_NS, max: LONGEST_DURATION_NS }), (nanoseconds) => {
      t.is(parseDurationNs(formatDuration(nanoseconds)), nanoseconds);
    }),
  );
});
