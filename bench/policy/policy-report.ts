import { formatTable } from '../report/table.js';
import type { StepResult } from './measure-decisions.js';
import { DISPATCH_STEP } from './rule-dispatch.js';
import type { WorkloadSize } from './workload.js';

/** The goals for the reference run of 100 patterns and 20 rules, on one core, by the name of the step. */
const GOALS_PER_SECOND: Readonly<Record<string, number>> = {
  decision: 100_000,
  '  charges, without the caches': 150_000,
};
const GOAL_P99_US = 60;
/** For a check by 500 rules with 200 instances. */
const DISPATCH_P99_US = 50;

/** Whether decisions of the library, with the caches and without them, and checks by rules are as fast as they should be. */
export function isGoalMet(results: readonly StepResult[]): boolean {
  return areDecisionsFast(results) && areDispatchesFast(results);
}

function areDispatchesFast(results: readonly StepResult[]): boolean {
  return results.every(({ step, p99Us }) => !step.startsWith(DISPATCH_STEP) || p99Us < DISPATCH_P99_US);
}

function areDecisionsFast(results: readonly StepResult[]): boolean {
  return Object.entries(GOALS_PER_SECOND).every(([name, goal]) => {
    const result = results.find(({ step }) => step === name);
    return result !== undefined && result.perSecond >= goal && result.p99Us < GOAL_P99_US;
  });
}

/** The result as text for a person, with a line break at its end. */
export function formatPolicyReport(size: WorkloadSize, results: readonly StepResult[]): string {
  const rows = results.map(({ step, perSecond, p50Us, p99Us, maxUs }) => [
    step,
    inThousands(perSecond),
    p50Us.toFixed(1),
    p99Us.toFixed(1),
    maxUs.toFixed(0),
  ]);
  const [withCaches = 0, without = 0] = Object.values(GOALS_PER_SECOND).map(inThousands);
  return [
    `Policy client library alone, on one core: ${size.patterns} API patterns, ${size.rules} quota rules`,
    '',
    ...formatTable([['', 'per second', 'p50 us', 'p99 us', 'max us'], ...rows]),
    '',
    'Goal for 100 patterns and 20 rules, per second:',
    `at least ${withCaches} decisions, ${without} without the caches, p99 below ${GOAL_P99_US} us: ${
      areDecisionsFast(results) ? 'met' : 'missed'
    }.`,
    `A check by 500 rules and 200 instances, p99 below ${DISPATCH_P99_US} us for conditions of each kind: ${
      areDispatchesFast(results) ? 'met' : 'missed'
    }.`,
    '',
  ].join('\n');
}

function inThousands(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}
