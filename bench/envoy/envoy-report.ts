import { formatTable } from '../report/table.js';
import { addedMs, type RoundResult, summarize, VARIANTS, type Variant } from './round-result.js';

/** The goal at 1,000 requests per second. */
const GOAL_ADDED_P99_MS = 1;

const TITLES: Readonly<Record<Variant, string>> = {
  plain: 'without a check',
  floor: 'check by the floor',
  policy: 'check by the policy server',
};

/** Whether the policy server adds as little as it should. */
export function isEnvoyGoalMet(results: readonly RoundResult[]): boolean {
  return addedMs(results, 'policy', 'p99Ms') <= GOAL_ADDED_P99_MS && results.every(({ failed }) => failed === 0);
}

/** The result as text for a person, with a line break at its end. */
export function formatEnvoyReport(perSecond: number, results: readonly RoundResult[]): string {
  const rounds = results.filter(({ variant }) => variant === 'plain').length;
  const rows = VARIANTS.map((variant) => {
    const { p50Ms, p99Ms, lateP99Ms, cpuUsPerCheck, failed } = summarize(results, variant);
    const added = (of: 'p50Ms' | 'p99Ms') => (variant === 'plain' ? '' : addedMs(results, variant, of).toFixed(2));
    return [
      TITLES[variant],
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      added('p50Ms'),
      added('p99Ms'),
      lateP99Ms.toFixed(2),
      cpuUsPerCheck?.toFixed(0) ?? '',
      String(failed),
    ];
  });
  return [
    `Through Envoy, ${perSecond} requests per second; median of ${rounds} round${rounds === 1 ? '' : 's'} each, in turns`,
    '',
    ...formatTable([['', 'p50 ms', 'p99 ms', 'added p50', 'added p99', 'late p99', 'CPU us/check', 'failed'], ...rows]),
    '',
    `Goal at 1,000 per second: the policy server adds at most ${GOAL_ADDED_P99_MS} ms at p99: ${
      isEnvoyGoalMet(results) ? 'met' : 'missed'
    }.`,
    "Latency counts from when a request was due, so that late p99, the generator's own delay, is in it.",
    '',
  ].join('\n');
}
