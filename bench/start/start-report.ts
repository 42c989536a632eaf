import { median } from '../measure/statistics.js';
import { formatGoals } from '../report/format-goals.js';
import type { Goal } from '../report/goals.js';
import { formatTable } from '../report/table.js';
import type { TerminalStyle } from '../report/terminal-style.js';
import type { StartFigure, StartResult } from './start-case.js';

const MEBIBYTE = 1024 * 1024;
const GOAL_CPU_SECONDS = 0.7;

/** Medians of each case against its goals; those of time count on a machine that does nothing else. */
export function judgeStarts(results: readonly StartResult[]): readonly Goal[] {
  return results.flatMap(({ name, goal, figures }) => {
    if (goal === undefined) return [];
    const judge = (what: string, unit: Goal['unit'], limit: number, value: number): Goal => {
      return { name: `${name}, ${what}`, unit, limit, value, met: value <= limit };
    };
    return [
      judge('ready', 's', goal.readySeconds, medianOf(figures, 'readyMs') / 1000),
      judge('CPU', 's', GOAL_CPU_SECONDS, medianOf(figures, 'cpuSeconds')),
      judge('resident', 'MiB', goal.residentMebibytes, medianOf(figures, 'residentBytes') / MEBIBYTE),
    ];
  });
}

/** The result as text for a person, with a line break at its end. */
export function formatStartReport(results: readonly StartResult[], starts: number, style: TerminalStyle): string {
  const rows = results.map(({ name, figures }) => [
    name,
    medianOf(figures, 'readyMs').toFixed(0),
    (medianOf(figures, 'cpuSeconds') * 1000).toFixed(0),
    (medianOf(figures, 'residentBytes') / MEBIBYTE).toFixed(0),
  ]);
  return [
    '',
    style.bold(`From the start of the process until it is ready; median of ${starts} starts`),
    '',
    ...formatTable([['', 'ready ms', 'CPU ms', 'MiB'], ...rows]).map((line) => `  ${line}`),
    '',
    ...formatGoals(judgeStarts(results), style),
    '',
  ].join('\n');
}

function medianOf(figures: readonly StartFigure[], field: keyof StartFigure): number {
  return median(figures.map((figure) => figure[field]));
}
