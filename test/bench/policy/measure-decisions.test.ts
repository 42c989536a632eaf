import test from 'ava';
import { measureDecisions } from '../../../bench/policy/measure-decisions.js';
import { formatPolicyReport, isGoalMet } from '../../../bench/policy/policy-report.js';
import { buildPolicyWorkload } from '../../../bench/policy/workload.js';

const SIZE = { patterns: 10, rules: 5 };

test('every step is measured: rate over the rounds, latency one by one', async (t) => {
  let nowMs = 0;
  // Each look at the clock takes 0.5 ms, so that the numbers are known.
  const results = await measureDecisions(buildPolicyWorkload(SIZE), 0.01, () => {
    nowMs += 0.5;
    return nowMs;
  });
  t.is(results.length, 10);
  for (const { p50Us, p99Us, maxUs, perSecond } of results) {
    t.deepEqual([p50Us, p99Us, maxUs], [500, 500, 500]);
    t.true(perSecond > 0);
  }
});

test('the report says whether the goal is met', (t) => {
  const fast = { step: 'decision', perSecond: 100_000, p50Us: 5, p99Us: 99, maxUs: 1000 };
  t.true(isGoalMet([fast]));
  t.false(isGoalMet([{ ...fast, perSecond: 99_999 }]));
  t.false(isGoalMet([{ ...fast, p99Us: 100 }]));
  t.false(isGoalMet([]));
  const text = formatPolicyReport(SIZE, [fast]);
  t.true(text.includes('10 API patterns, 5 quota rules'));
  t.true(text.includes('decision     100,000     5.0    99.0    1000'), text);
  t.true(text.endsWith('p99 below 100 us: met.\n'));
});
