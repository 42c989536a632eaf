import test from 'ava';
import { measureDecisions } from '../../../bench/policy/measure-decisions.js';
import { formatPolicyReport, isGoalMet } from '../../../bench/policy/policy-report.js';
import { DISPATCH_STEP } from '../../../bench/policy/rule-dispatch.js';
import { buildPolicyWorkload } from '../../../bench/policy/workload.js';

const SIZE = { patterns: 10, rules: 5 };

test('every step is measured: rate over the rounds, latency one by one', async (t) => {
  let nowMs = 0;
  // Each look at the clock takes 0.5 ms, so that the numbers are known.
  const results = await measureDecisions(buildPolicyWorkload(SIZE), 0.01, () => {
    nowMs += 0.5;
    return nowMs;
  });
  t.is(results.length, 19);
  t.is(results.filter(({ step }) => step.startsWith(DISPATCH_STEP)).length, 10);
  for (const { p50Us, p99Us, maxUs, perSecond } of results) {
    t.deepEqual([p50Us, p99Us, maxUs], [500, 500, 500]);
    t.true(perSecond > 0);
  }
});

test('the report says whether the goals are met, with the caches and without them', (t) => {
  const fast = { step: 'decision', perSecond: 100_000, p50Us: 5, p99Us: 59, maxUs: 1000 };
  const core = { ...fast, step: '  charges, without the caches', perSecond: 150_000 };
  t.true(isGoalMet([fast, core]));
  t.false(isGoalMet([{ ...fast, perSecond: 99_999 }, core]));
  t.false(isGoalMet([fast, { ...core, perSecond: 149_999 }]));
  t.false(isGoalMet([{ ...fast, p99Us: 60 }, core]));
  t.false(isGoalMet([fast, { ...core, p99Us: 60 }]));
  t.false(isGoalMet([fast]));
  const dispatch = { ...fast, step: `${DISPATCH_STEP}of a service`, p99Us: 49 };
  t.true(isGoalMet([fast, core, dispatch]));
  t.false(isGoalMet([fast, core, { ...dispatch, p99Us: 50 }]));
  const text = formatPolicyReport(SIZE, [fast, core]);
  t.true(text.includes('10 API patterns, 5 quota rules'));
  t.regex(text, /\ndecision +100,000 +5\.0 +59\.0 +1000\n/);
  t.true(text.includes('at least 100,000 decisions, 150,000 without the caches, p99 below 60 us: met.\n'));
  t.regex(formatPolicyReport(SIZE, [fast, core, dispatch]), /p99 below 50 us for conditions of each kind: met\.\n$/);
});
