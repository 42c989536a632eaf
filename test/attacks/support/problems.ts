import type { Outcome } from './under-attack.js';

const LONGEST_WAIT_MS = 1_000;
const MIB = 2 ** 20;

/**
 * What did not survive an attack, a sentence each; empty when all is well.
 *
 * @param longestWaitMs of a user; one second unless given
 */
export function problemsOf(
  { end, peakBytes, limitBytes, users }: Outcome,
  longestWaitMs = LONGEST_WAIT_MS,
): readonly string[] {
  const problems: string[] = [];
  if (end !== undefined) problems.push(`the server ended with ${end.signal ?? `code ${end.code}`}: ${end.tail}`);
  if (peakBytes >= limitBytes) problems.push(`${inMiB(peakBytes)} MiB were resident, of ${inMiB(limitBytes)}`);
  for (const { name, failures, slowestMs, actions } of users) {
    if (failures.length > 0) problems.push(`${name}: ${failures.length} of ${actions} failed: ${failures[0]}`);
    if (slowestMs >= longestWaitMs) problems.push(`${name} waited ${Math.round(slowestMs)} ms`);
  }
  return problems;
}

/** What happened, a line for each attack and user. */
export function describeOutcome({ attacks, peakBytes, limitBytes, users }: Outcome): string {
  const waits = users.map(
    ({ name, actions, failures, slowestMs }) =>
      `${name}: ${actions} actions, ${failures.length} failed, slowest ${Math.round(slowestMs)} ms`,
  );
  return [...attacks, `peak ${inMiB(peakBytes)} of ${inMiB(limitBytes)} MiB`, ...waits].join('\n');
}

/** A row of the table that `npm run attack` prints: attack, memory, slowest user, problems. */
export function tableRow(names: readonly string[], outcome: Outcome): string {
  const slowest = outcome.users.reduce((worst, user) => (user.slowestMs > worst.slowestMs ? user : worst));
  const problems = problemsOf(outcome).map((problem) => problem.split('\n', 1)[0] ?? '');
  const cells = [
    names.join(' + '),
    outcome.attacks.join('; '),
    `${inMiB(outcome.peakBytes)} MiB`,
    `${Math.round(slowest.slowestMs)} ms (${slowest.name})`,
    problems.length === 0 ? 'survived' : problems.join('; '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('\n', ' ').replaceAll('|', '\\|').slice(0, 400)).join(' | ')} |`;
}

function inMiB(bytes: number): number {
  return Math.round(bytes / MIB);
}
