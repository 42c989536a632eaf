import { addedMs, type RoundResult, summarize, type VariantSummary } from './round-result.js';

/** Processor time of the policy server for a check. */
const MOST_CPU_US = 200;
/** Latency that the policy server adds, by that of the bare HTTP server. */
const MOST_ADDED = 1.5;
/** Up to this rate, two cores must do all the work. Above it, the fail policy may answer. */
const SERVED_PER_SECOND = 3000;
/** The time that a check has, and some for the machine. */
const LONGEST_MS = 6000;

/** The clock and the machine tell no smaller differences. */
const LEAST_NOISE_MS = 0.1;

/** A bound at one rate. */
export interface EnvoyGoal {
  readonly name: string;
  readonly limit: string;
  readonly value: string;
  readonly isMet: boolean;
}

/** @param results of one rate */
export function judgeEnvoyGoals(results: readonly RoundResult[]): readonly EnvoyGoal[] {
  const policy = summarize(results, 'policy');
  const perSecond = results[0]?.perSecond ?? 0;
  const failed = requestsGoal('requests without an answer', policy.failed);
  if (perSecond > SERVED_PER_SECOND) return [failed, longestGoal(policy)];
  return [
    ...cpuGoals(policy),
    addedGoal(results, 'p50Ms', 'p50'),
    addedGoal(results, 'p99Ms', 'p99'),
    requestsGoal('requests refused', policy.refused),
    failed,
    ...fastGoals(results, 'p50Ms', 'p50'),
    ...fastGoals(results, 'p99Ms', 'p99'),
  ];
}

function cpuGoals({ cpuUsPerCheck: used }: VariantSummary): readonly EnvoyGoal[] {
  if (used === undefined) return [];
  const value = `${used.toFixed(0)} us`;
  return [{ name: 'CPU of a check', limit: `${MOST_CPU_US} us`, value, isMet: used <= MOST_CPU_US }];
}

function addedGoal(results: readonly RoundResult[], of: 'p50Ms' | 'p99Ms', shown: string): EnvoyGoal {
  const ratio = addedMs(results, 'policy', of) / addedMs(results, 'httpFloor', of);
  const name = `added at ${shown}, by node:http`;
  return { name, limit: `${MOST_ADDED} x`, value: `${ratio.toFixed(2)} x`, isMet: ratio <= MOST_ADDED };
}

/** Fast quotas add no more than rounds without a check differ from one another. */
function fastGoals(results: readonly RoundResult[], of: 'p50Ms' | 'p99Ms', shown: string): readonly EnvoyGoal[] {
  if (!results.some(({ variant }) => variant === 'fast')) return [];
  const plain = results.filter(({ variant }) => variant === 'plain').map((each) => each[of]);
  const noise = Math.max(LEAST_NOISE_MS, Math.max(...plain) - Math.min(...plain));
  const added = addedMs(results, 'fast', of);
  return [
    {
      name: `added at ${shown} by fast quotas, in noise`,
      limit: `${noise.toFixed(2)} ms`,
      value: `${added.toFixed(2)} ms`,
      isMet: added <= noise,
    },
  ];
}

function requestsGoal(name: string, count: number): EnvoyGoal {
  return { name, limit: '0', value: String(count), isMet: count === 0 };
}

function longestGoal({ longestMs }: VariantSummary): EnvoyGoal {
  const value = `${longestMs.toFixed(0)} ms`;
  return { name: 'longest request', limit: `${LONGEST_MS} ms`, value, isMet: longestMs <= LONGEST_MS };
}
