import { median, type Point, percentile, slopePerMinute } from '../measure/statistics.js';
import { formatGoals } from '../report/format-goals.js';
import type { Goal } from '../report/goals.js';
import { formatTable } from '../report/table.js';
import type { TerminalStyle } from '../report/terminal-style.js';
import { DEBOUNCE_MS } from '../subject/launch-discovery.js';
import type { KubernetesResult, StartResult } from './kubernetes-result.js';
import type { KubernetesOptions } from './run-kubernetes.js';

const MEBIBYTE = 1024 * 1024;
const GOAL = { readySeconds: 10, peakMebibytes: 600, afterDebounceMs: 150, mebibytesPerMinute: 1 } as const;
/** A shorter churn says nothing about memory that goes up slowly. */
const SLOPE_NEEDS_SECONDS = 300;

/** The goals, which are set for 5,000 services of 10 endpoints, 5,000 pods, 50 clients and 100 changes per second. */
export function judgeKubernetes({ starts, churn, peakResidentBytes }: KubernetesResult): readonly Goal[] {
  const judge = (name: string, unit: Goal['unit'], limit: number, value: number): Goal => {
    return { name, unit, limit, value, met: value <= limit };
  };
  const slope = slopePerMinute(residentPoints(churn)) / MEBIBYTE;
  return [
    judge('ready after start', 's', GOAL.readySeconds, medianOf(starts, ({ readyMs }) => readyMs) / 1000),
    judge('resident memory, the most', 'MiB', GOAL.peakMebibytes, peakResidentBytes / MEBIBYTE),
    judge('write to proxy, p99', 'ms', DEBOUNCE_MS + GOAL.afterDebounceMs, percentile(churn.clientMs, 99)),
    ...(churn.seconds < SLOPE_NEEDS_SECONDS
      ? []
      : [judge('memory under churn', 'MiB/min', GOAL.mebibytesPerMinute, slope)]),
  ];
}

/** The result as text for a person, with a line break at its end. */
export function formatKubernetesReport(
  options: KubernetesOptions,
  result: KubernetesResult,
  style: TerminalStyle,
): string {
  const { size, clients, perSecond, debounceMaxMs } = options;
  const { starts, sync, churn, objects, listedBytes, peakResidentBytes } = result;
  const ready = medianOf(starts, ({ readyMs }) => readyMs);
  const floor = medianOf(starts, ({ floorMs }) => floorMs);
  const slope = slopePerMinute(residentPoints(churn)) / MEBIBYTE;
  const [first, last] = [churn.memory[0]?.residentBytes ?? 0, churn.memory.at(-1)?.residentBytes ?? 0];
  return [
    '',
    style.bold(
      `${size.services} services x ${size.endpointsPerService} endpoints and ${size.pods} pods in ${size.namespaces} namespaces, ${clients} clients`,
    ),
    `NAV_DEBOUNCE_AFTER ${DEBOUNCE_MS} ms, NAV_DEBOUNCE_MAX ${debounceMaxMs} ms; median of ${starts.length} starts`,
    '',
    ...table(
      ['start', 'ms', 'RSS', 'peak'],
      [
        'server, ready',
        fixed(ready),
        mebibytes(medianOf(starts, ({ residentBytes }) => residentBytes)),
        mebibytes(medianOf(starts, ({ peakResidentBytes: peak }) => peak)),
      ],
      ['floor, listed', fixed(floor), '', mebibytes(medianOf(starts, ({ floorPeakBytes }) => floorPeakBytes))],
      ['ratio', `${(ready / floor).toFixed(2)}x`],
    ),
    '',
    ...table(
      [`first sync of ${clients}`, 'median', 'last', 'RSS', 'sent MiB'],
      [
        'server',
        fixed(median(sync.clientMs)),
        fixed(percentile(sync.clientMs, 100)),
        mebibytes(sync.residentBytes),
        mebibytes(sync.receivedBytes),
      ],
    ),
    '',
    ...table(
      [`${perSecond} changes/s for ${churn.seconds} s`, 'p50 ms', 'p99 ms', 'max ms'],
      latencyRow('write to proxy', churn.clientMs),
      latencyRow('write to a bare watch (floor)', churn.floorMs),
      latencyRow('write to its answer', churn.writeMs),
    ),
    '',
    `${churn.changes} changes, ${churn.refused} refused; ${churn.missing} of ${churn.changes * clients} did not come to a client.`,
    `CPU of the server ${percent(churn.cpuShare)}, of clients and writer ${percent(churn.clientCpuShare)} of one core.`,
    `Memory under churn ${mebibytes(first)} to ${mebibytes(last)} MiB, slope ${slope.toFixed(2)} MiB/min; the most since its start ${mebibytes(peakResidentBytes)} MiB.`,
    `The floor lists ${objects} objects, ${mebibytes(listedBytes)} MiB of JSON.`,
    '',
    style.bold('Goals'),
    ...formatGoals(judgeKubernetes(result), style),
    '',
  ].join('\n');
}

function table(...rows: readonly (readonly string[])[]): readonly string[] {
  return formatTable(rows);
}

function latencyRow(name: string, values: readonly number[]): readonly string[] {
  return [name, ...[50, 99, 100].map((percent) => percentile(values, percent).toFixed(1))];
}

function medianOf(starts: readonly StartResult[], read: (start: StartResult) => number): number {
  return median(starts.map(read));
}

function fixed(value: number): string {
  return value.toFixed(0);
}

function mebibytes(bytes: number): string {
  return fixed(bytes / MEBIBYTE);
}

function percent(share: number): string {
  return `${fixed(share * 100)} %`;
}

function residentPoints({ memory }: KubernetesResult['churn']): readonly Point[] {
  return memory.map(({ atMs, residentBytes }) => ({ atMs, value: residentBytes }));
}
