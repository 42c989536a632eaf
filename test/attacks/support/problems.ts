import { errorText } from '../../../src/base/error-text.js';
import type { Outcome } from './under-attack.js';

const LONGEST_WAIT_MS = 1_000;
const MIB = 2 ** 20;

/**
 * The problems of an outcome, one sentence each; empty if the server survived.
 *
 * @param longestWaitMs longest allowed wait of a user; default one second
 */
export function problemsOf(
  { failures, end, peakBytes, limitBytes, users, durationMs, leftOut }: Outcome,
  longestWaitMs = LONGEST_WAIT_MS,
): readonly string[] {
  const problems: string[] = [...failures];
  if (end !== undefined) problems.push(`the server ended with ${end.signal ?? `code ${end.code}`}: ${end.tail}`);
  if (peakBytes >= limitBytes) problems.push(`${inMiB(peakBytes)} MiB were resident, of ${inMiB(limitBytes)}`);
  for (const { name, failures: failed, slowestMs, actions } of users) {
    if (failed.length > 0) problems.push(`${name}: ${failed.length} of ${actions} failed: ${failed[0]}`);
    if (slowestMs >= longestWaitMs) problems.push(`${name} waited ${Math.round(slowestMs)} ms`);
  }
  // A process may get no processor time once for seconds. One that gets none again and again lacks a processor.
  const { totalMs, longestMs } = leftOut;
  if (totalMs - longestMs > (durationMs - longestMs) / 2)
    problems.push(`${leftOutText(durationMs, totalMs)}, so that their waits are not known`);
  return problems;
}

/** The outcome, one line for each attack and user. */
export function describeOutcome({ attacks, peakBytes, limitBytes, users, durationMs, leftOut }: Outcome): string {
  const waits = users.map(
    ({ name, actions, failures, slowestMs, p99Ms }) =>
      `${name}: ${actions} actions, ${failures.length} failed, p99 ${Math.round(p99Ms)} ms, slowest ${Math.round(slowestMs)} ms`,
  );
  return [
    ...attacks,
    `peak ${inMiB(peakBytes)} of ${inMiB(limitBytes)} MiB`,
    ...waits,
    leftOutText(durationMs, leftOut.totalMs),
  ].join('\n');
}

/** A row of the table that `npm run attack` prints: attack, memory, slowest user, problems. */
export function tableRow(names: readonly string[], outcome: Outcome): string {
  const slowest = outcome.users.reduce((worst, user) => (user.slowestMs > worst.slowestMs ? user : worst));
  const problems = problemsOf(outcome).map((problem) => problem.split('\n', 1)[0] ?? '');
  return row([
    names.join(' + '),
    outcome.attacks.join('; '),
    `${inMiB(outcome.peakBytes)} MiB`,
    `${Math.round(slowest.slowestMs)} ms (${slowest.name})`,
    problems.length === 0 ? 'survived' : problems.join('; '),
  ]);
}

/** The row of attacks that could not be run. */
export function failedRow(names: readonly string[], error: unknown): string {
  const message = errorText(error);
  return row([names.join(' + '), 'not run', '', '', message]);
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('\n', ' ').replaceAll('|', '\\|').slice(0, 400)).join(' | ')} |`;
}

function leftOutText(durationMs: number, leftOutMs: number): string {
  return `the process of the users was not scheduled for ${Math.round(leftOutMs)} of ${Math.round(durationMs)} ms`;
}

function inMiB(bytes: number): number {
  return Math.round(bytes / MIB);
}
