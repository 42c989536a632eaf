import test from 'ava';
import { bucketAt, releaseMs, windowShape } from '../../../src/policy/quota/window-shape.js';
import fc from '../../support/property-testing.js';

const DAY_MS = 86_400_000;

for (const [at, end] of [
  ['2024-02-29T23:59:59.999Z', '2024-03-01T00:00:00.000Z'],
  ['2024-03-01T00:00:00.000Z', '2024-04-01T00:00:00.000Z'],
  ['2025-12-31T12:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['2000-02-28T00:00:00.000Z', '2000-03-01T00:00:00.000Z'],
] as const) {
  test(`a month of the calendar that has ${at} ends at ${end}`, (t) => {
    const shape = windowShape('month', 1);
    t.is(new Date(releaseMs(shape, bucketAt(shape, Date.parse(at)))).toISOString(), end);
  });
}

for (const [at, end] of [
  ['2026-11-22T23:59:59.999Z', '2026-11-23T00:00:00.000Z'],
  ['2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
] as const) {
  test(`a week begins on Monday: ${at} is in the one that ends at ${end}`, (t) => {
    const shape = windowShape('week', 1);
    t.is(new Date(releaseMs(shape, bucketAt(shape, Date.parse(at)))).toISOString(), end);
  });
}

for (const unit of ['week', 'month'] as const) {
  test(`every time is in one ${unit}, and the next one begins where it ends`, (t) => {
    const shape = windowShape(unit, 1);
    const property = fc.property(fc.integer({ min: 0, max: 100_000 * DAY_MS }), (nowMs) => {
      const bucket = bucketAt(shape, nowMs);
      const startMs = releaseMs(shape, bucket - 1);
      const endMs = releaseMs(shape, bucket);
      t.true(startMs <= nowMs && nowMs < endMs && endMs - startMs <= shape.durationMs);
      t.is(bucketAt(shape, endMs), bucket + 1);
    });
    fc.assert(property);
  });
}
