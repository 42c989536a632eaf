import test from 'ava';
import { duration } from '../../src/envoy/durations.js';

for (const [ms, expected] of [
  [0, { seconds: 0 }],
  [1000, { seconds: 1 }],
  [1500, { seconds: 1, nanos: 500_000_000 }],
  [0.25, { seconds: 0, nanos: 250_000 }],
  [86_400_001, { seconds: 86_400, nanos: 1_000_000 }],
] as const) {
  test(`${ms} ms are ${JSON.stringify(expected)}`, (t) => {
    t.deepEqual(duration(ms), expected);
  });
}
