import test from 'ava';
import { windowText } from '../../src/introspection/web/window-text.js';
import { quotaLimitOf } from '../../src/policy/plans/plan-limits.js';

const textOf = (per: 'minute' | 'hour' | 'day' | 'week' | 'month', window: 'fixed' | 'rolling'): string =>
  windowText(quotaLimitOf('shop/gold', { name: 'l', requests: 1, per, window, of: 'key', match: [] }));

test('windows of plans are written in their units', (t) => {
  t.deepEqual(
    (['minute', 'hour', 'day', 'week', 'month'] as const).map((per) => textOf(per, 'rolling')),
    ['1 minute', '1 hour', '1 day', '7 days', '30 days'].map((length) => `${length}, rolling window`),
  );
  t.deepEqual(
    (['day', 'week', 'month'] as const).map((per) => textOf(per, 'fixed')),
    ['1 day, fixed window', '1 calendar week', '1 calendar month'],
  );
});

test('other windows are written in the largest unit that they are a multiple of', (t) => {
  const text = (validDurationMs: number) => windowText({ validDurationMs, window: 'fixed' });
  t.deepEqual([500, 90_000, 5_400_000, 7_200_000, 0].map(text), [
    '0.5 s, fixed window',
    '90 s, fixed window',
    '90 minutes, fixed window',
    '2 hours, fixed window',
    '0 s, fixed window',
  ]);
});
