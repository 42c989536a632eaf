import test from 'ava';
import { type LimitState, rateLimitHeaders } from '../../../src/policy/quota/rate-limit-headers.js';
import { windowShape } from '../../../src/policy/quota/window-shape.js';

const MINUTE: LimitState = {
  policy: 'per-minute',
  maxAmount: 600,
  shape: windowShape('fixed', 60_000),
  left: 12,
  resetMs: 29_001,
  isExhausted: false,
};
const MONTH: LimitState = { ...MINUTE, policy: 'monthly', maxAmount: 1e6, shape: windowShape('month', 1), left: 9e5 };

test('the headers are lists of strings with parameters, times in whole seconds', (t) => {
  t.deepEqual(rateLimitHeaders([MINUTE, MONTH]), {
    'ratelimit-policy': '"per-minute";q=600;w=60, "monthly";q=1000000;w=2678400',
    ratelimit: '"per-minute";r=12;t=30, "monthly";r=900000;t=30',
  });
});

test('without limits there are no headers', (t) => {
  t.is(rateLimitHeaders([]), undefined);
});

test('a refusal tells all policies, and the state of those that refuse', (t) => {
  const exhausted = { ...MINUTE, left: 0, isExhausted: true };
  t.deepEqual(rateLimitHeaders([MONTH, exhausted]), {
    'ratelimit-policy': '"monthly";q=1000000;w=2678400, "per-minute";q=600;w=60',
    ratelimit: '"per-minute";r=0;t=30',
  });
});

test('names of quotas become strings of structured fields, whatever characters they have', (t) => {
  const headers = rateLimitHeaders([{ ...MINUTE, policy: 'a"b\\c\r\nset-cookie: x\u00e9' }]);
  t.is(headers?.['ratelimit'], '"a\\"b\\\\c??set-cookie: x?";r=12;t=30');
});

test('numbers stay within those of structured fields, and a time is at least a second', (t) => {
  const large = { ...MINUTE, maxAmount: 2 ** 53 - 1, left: 2 ** 53 - 1, resetMs: 0, shape: windowShape('fixed', 10) };
  t.deepEqual(rateLimitHeaders([large]), {
    'ratelimit-policy': '"per-minute";q=999999999999999;w=1',
    ratelimit: '"per-minute";r=999999999999999;t=1',
  });
});

test('an answer has a bounded number of limits', (t) => {
  const headers = rateLimitHeaders(Array.from({ length: 100 }, (_, n) => ({ ...MINUTE, policy: `p${n}` })));
  t.is(headers?.['ratelimit-policy']?.split(', ').length, 32);
  t.is(headers?.['ratelimit']?.split(', ').length, 32);
});
