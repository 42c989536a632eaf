import { formatTable } from '../report/table.js';
import type { SignatureResult } from './measure-signatures.js';

const GOAL_PER_SECOND = 300;

/** Whether certificates are signed as fast as they should be, with every kind of key. */
export function isSignatureGoalMet(results: readonly SignatureResult[]): boolean {
  return results.length > 0 && results.every(({ perCpuSecond }) => perCpuSecond >= GOAL_PER_SECOND);
}

/** The result as text for a person, with a line break at its end. */
export function formatSignatureReport(results: readonly SignatureResult[]): string {
  const rows = results.map(({ key, perCpuSecond, p50Ms, p99Ms }) => [
    key,
    Math.round(perCpuSecond).toLocaleString('en-US'),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
  ]);
  return [
    'Certificates for requests by P-256 keys, from the request to the certificate',
    '',
    ...formatTable([['key of the authority', 'per second of one core', 'p50 ms', 'p99 ms'], ...rows]),
    '',
    `Goal: at least ${GOAL_PER_SECOND} per second on one core: ${isSignatureGoalMet(results) ? 'met' : 'missed'}.`,
    'Signatures are made off the main thread: per second counts the processor time of all threads.',
    '',
  ].join('\n');
}
