import { afterWarmUp, median, slopePerMinute } from '../measure/statistics.js';
import { formatGoals } from '../report/format-goals.js';
import type { Goal } from '../report/goals.js';
import type { TerminalStyle } from '../report/terminal-style.js';
import type { SoakResult, SoakSample } from './soak-result.js';

const MEBIBYTE = 1024 * 1024;
const SLOPE_LIMIT = 0.2;
/** A connection of the bench itself, or a file that is read at the moment. */
const DESCRIPTORS_LIMIT = 2;
const SHOWN_ERRORS = 10;

/** Live memory after the warm-up grows by that many bytes per minute. */
function liveSlope({ samples }: SoakResult): number {
  return slopePerMinute(
    samples.map(({ atMs, heapBytes, externalBytes }) => ({ atMs, value: heapBytes + externalBytes })),
  );
}

/** By how many the file descriptors grew from the first half of the time after the warm-up to the second. */
function grownDescriptors({ samples }: SoakResult): number {
  const counted = afterWarmUp(samples).map(({ fileDescriptors }) => fileDescriptors);
  const half = Math.ceil(counted.length / 2);
  return median(counted.slice(half)) - median(counted.slice(0, half));
}

export function judgeSoak(result: SoakResult): readonly Goal[] {
  const judge = (name: string, unit: Goal['unit'], limit: number, value: number): Goal => {
    return { name, unit, limit, value, met: value <= limit };
  };
  return [
    judge('errors', '', 0, result.errors.length),
    judge('live heap, growth', 'MiB/min', SLOPE_LIMIT, liveSlope(result) / MEBIBYTE),
    judge('file descriptors, growth', '', DESCRIPTORS_LIMIT, grownDescriptors(result)),
  ];
}

export function formatSoakReport(clients: number, result: SoakResult, style: TerminalStyle): string {
  const { seconds, changes, passingClients, receivedBytes, cpuSeconds, samples, errors } = result;
  const counted = afterWarmUp(samples);
  const [first, last] = [counted[0], counted.at(-1)];
  return [
    '',
    style.bold(
      `${Math.round(seconds / 60)} minutes with ${clients} clients: ${changes} changes, ${passingClients} clients that came and vanished`,
    ),
    `${Math.round(receivedBytes / MEBIBYTE)} MiB received, ${Math.round(cpuSeconds)} CPU-s, ${samples.length} quiet moments`,
    ...(first === undefined || last === undefined
      ? []
      : [`after the warm-up ${describe(first)}`, `at the end         ${describe(last)}`]),
    ...errors.slice(0, SHOWN_ERRORS).map((error) => style.bad(`error: ${error}`)),
    ...(errors.length > SHOWN_ERRORS ? [`and ${errors.length - SHOWN_ERRORS} more errors`] : []),
    '',
    style.bold('Goals'),
    ...formatGoals(judgeSoak(result), style),
    '',
  ].join('\n');
}

function describe({ heapBytes, externalBytes, residentBytes, fileDescriptors }: SoakSample): string {
  const mebibytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
  return `${mebibytes(heapBytes)} of live heap, ${mebibytes(externalBytes)} outside of it, ${mebibytes(residentBytes)} resident, ${fileDescriptors} file descriptors`;
}
