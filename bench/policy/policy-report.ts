import { formatTable } from '../report/table.js';
import type { StepResult } from './measure-decisions.js';
import type { WorkloadSize } from './workload.js';

/** The goals for the reference run of 100 patterns and 20 rules: on one core, without Envoy. */
const GOAL_PER_SECOND = 100_000;
const GOAL_P99_US = 100;

/** Whether the whole decision is as fast as it should be. */
export function isGoalMet(results: readonly StepResult[]): boolean {
  const [decision] = results;
  return decision !== undefined && decision.perSecond >= GOAL_PER_SECOND && decision.p99Us < GOAL_P99_US;
}

/** The result as text for a person, with a line break at its end. */
export function formatPolicyReport(size: WorkloadSize, results: readonly StepResult[]): string {
  const rows = results.map(({ step, perSecond, p50Us, p99Us, maxUs }) => [
    step,
    Math.round(perSecond).toLocaleString('en-US'),
    p50Us.toFixed(1),
    p99Us.toFixed(1),
    maxUs.toFixed(0),
  ]);
  return [
    `Policy client library alone, on one core: ${size.patterns} API patterns, ${size.rules} quota rules`,
    '',
    ...formatTable([['', 'per second', 'p50 us', 'p99 us', 'max us'], ...rows]),
    '',
    `Goal for 100 patterns and 20 rules: at least ${GOAL_PER_SECOND.toLocaleString('en-US')} decisions per second, p99 below ${GOAL_P99_US} us: ${
      isGoalMet(results) ? 'met' : 'missed'
    }.`,
    '',
  ].join('\n');
}
