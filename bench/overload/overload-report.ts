import { median } from '../measure/statistics.js';
import { formatTable } from '../report/table.js';
import type { OverloadResult, OverloadSubject } from './measure-overload.js';

const TITLES: Readonly<Record<OverloadSubject, string>> = { floor: 'bare server', policy: 'policy server' };

/** The medians of all rounds as text for a person, with a line break at its end. */
export function formatOverloadReport(results: readonly OverloadResult[]): string {
  const rates = [...new Set(results.map(({ perSecond }) => perSecond))];
  const rows = rates.flatMap((perSecond) =>
    (['floor', 'policy'] as const).map((subject) => {
      const own = results.filter((result) => result.perSecond === perSecond && result.subject === subject);
      const of = (read: (result: OverloadResult) => number, digits = 0): string =>
        median(own.map(read)).toFixed(digits);
      return [
        String(perSecond),
        TITLES[subject],
        of(({ decided, seconds }) => decided / seconds),
        of(({ shed, seconds }) => shed / seconds),
        of(({ overflowed, seconds }) => overflowed / seconds),
        of(({ timedOut, failed }) => timedOut + failed),
        of(({ p50Ms }) => p50Ms, 1),
        of(({ p99Ms }) => p99Ms, 1),
        of(({ cpuUsPerAnswer }) => cpuUsPerAnswer ?? Number.NaN),
      ];
    }),
  );
  const heads = ['offered/s', '', 'decided/s', 'shed/s', 'overflow/s', 'failed', 'p50 ms', 'p99 ms', 'CPU us/answer'];
  return [
    'Checks on one connection, without Envoy; medians of all rounds, both servers in turns',
    '',
    ...formatTable([heads, ...rows]),
    '',
    'shed: answered by the fail policy. overflow: not sent, because 1,024 calls were under way, as in Envoy.',
    '',
  ].join('\n');
}
