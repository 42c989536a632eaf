import test from 'ava';
import { resolveNetworkFailPolicy, retryDelayMs } from '../../../src/policy/client/transport-config.js';
import fc from '../../support/property-testing.js';

const DEFAULTS = resolveNetworkFailPolicy(undefined);
const MOST = 1 - Number.EPSILON;

test('the policy is FAIL_OPEN with no retries, 80 ms and 1 s unless configured', (t) => {
  t.deepEqual(DEFAULTS, { policy: 'FAIL_OPEN', maxRetry: 0, baseRetryWaitMs: 80, maxRetryWaitMs: 1000 });
});

test('a service-level networkFailPolicy replaces the mesh-level one as a whole', (t) => {
  const mesh = { policy: 'FAIL_CLOSE', maxRetry: 5, baseRetryWait: '1s', maxRetryWait: '2s' } as const;
  t.deepEqual(resolveNetworkFailPolicy(mesh), {
    policy: 'FAIL_CLOSE',
    maxRetry: 5,
    baseRetryWaitMs: 1000,
    maxRetryWaitMs: 2000,
  });
  t.deepEqual(resolveNetworkFailPolicy(mesh, { maxRetry: 1 }), { ...DEFAULTS, maxRetry: 1 });
});

test('a wait of zero means the default, and whole seconds are capped at 24 hours', (t) => {
  const policy = resolveNetworkFailPolicy({ baseRetryWait: '0s', maxRetryWait: '30h1.5s' });
  t.is(policy.baseRetryWaitMs, 80);
  t.is(policy.maxRetryWaitMs, 86_400_500);
});

test('the backoff is exponential: the longest delay doubles with each retry up to maxRetryWait', (t) => {
  const longest = [0, 1, 2, 3, 4, 60, 5000].map((retries) => Math.round(retryDelayMs(retries, DEFAULTS, () => MOST)));
  t.deepEqual(longest, [80, 160, 320, 640, 1000, 1000, 1000]);
});

test('baseRetryWait: the shortest delay is the base at every retry, and the first retry waits exactly that', (t) => {
  t.deepEqual(
    [0, 1, 9].map((retries) => retryDelayMs(retries, DEFAULTS, () => 0)),
    [80, 80, 80],
  );
  t.is(
    retryDelayMs(0, DEFAULTS, () => MOST),
    80,
  );
});

test('the delay has jitter, uniform between the bounds', (t) => {
  t.is(
    retryDelayMs(2, DEFAULTS, () => 0.5),
    200,
  );
  t.is(
    retryDelayMs(2, DEFAULTS, () => 0.25),
    140,
  );
});

test('maxRetryWait: no delay is above the maximum, even below the base', (t) => {
  const waits = fc.integer({ min: 1, max: 100_000 });
  fc.assert(
    fc.property(
      fc.nat(2000),
      waits,
      waits,
      fc.double({ min: 0, max: MOST, noNaN: true }),
      (retries, base, max, random) => {
        const delayMs = retryDelayMs(retries, { baseRetryWaitMs: base, maxRetryWaitMs: max }, () => random);
        return delayMs <= max && delayMs >= Math.min(base, max);
      },
    ),
  );
  t.is(
    retryDelayMs(3, { baseRetryWaitMs: 500, maxRetryWaitMs: 100 }, () => 0.5),
    100,
  );
});
