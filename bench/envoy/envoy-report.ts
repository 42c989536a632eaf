import { formatTable } from '../report/table.js';
import { judgeEnvoyGoals } from './envoy-goals.js';
import { addedMs, type RoundResult, summarize, VARIANTS, type Variant } from './round-result.js';

const TITLES: Readonly<Record<Variant, string>> = {
  plain: 'without a check',
  grpcFloor: 'check by a bare grpc-js server',
  httpFloor: 'check by a bare node:http server',
  policy: 'check by the policy server',
  fast: 'fast quotas, without a check',
};

/** Whether the policy server keeps all bounds at all rates. */
export function areEnvoyGoalsMet(results: readonly RoundResult[]): boolean {
  return ratesOf(results).every((rate) => judgeEnvoyGoals(rate).every(({ isMet }) => isMet));
}

/** The result as text for a person, with a line break at its end. */
export function formatEnvoyReport(results: readonly RoundResult[]): string {
  const parts = ratesOf(results).map(formatRate);
  const note =
    "Latency counts from when a request was due, so that late p99, the generator's own delay, is in it; not in longest.";
  return `${parts.join('\n')}\n${note}\n`;
}

function formatRate(results: readonly RoundResult[]): string {
  const rounds = results.filter(({ variant }) => variant === 'plain').length;
  const rows = VARIANTS.filter((variant) => results.some((each) => each.variant === variant)).map((variant) => {
    const { p50Ms, p99Ms, longestMs, lateP99Ms, cpuUsPerCheck, refused, failed } = summarize(results, variant);
    const added = (of: 'p50Ms' | 'p99Ms') => (variant === 'plain' ? '' : addedMs(results, variant, of).toFixed(2));
    return [
      TITLES[variant],
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      added('p50Ms'),
      added('p99Ms'),
      lateP99Ms.toFixed(2),
      longestMs.toFixed(0),
      cpuUsPerCheck?.toFixed(0) ?? '',
      String(refused),
      String(failed),
    ];
  });
  const goals = judgeEnvoyGoals(results).map(({ name, limit, value, isMet }) => [
    name,
    `at most ${limit}`,
    value,
    isMet ? 'met' : 'missed',
  ]);
  const columns = ['p50 ms', 'p99 ms', 'added p50', 'added p99', 'late p99', 'longest', 'CPU us', 'refused', 'failed'];
  return [
    `Through Envoy, ${results[0]?.perSecond} requests per second; median of ${rounds} round${rounds === 1 ? '' : 's'} each, in turns`,
    '',
    ...formatTable([['', ...columns], ...rows]),
    '',
    ...formatTable([['goal of the policy server', 'limit', 'measured', ''], ...goals]),
    '',
  ].join('\n');
}

/** The results by rate, in their order. */
function ratesOf(results: readonly RoundResult[]): readonly (readonly RoundResult[])[] {
  const rates = [...new Set(results.map(({ perSecond }) => perSecond))];
  return rates.map((rate) => results.filter(({ perSecond }) => perSecond === rate));
}
