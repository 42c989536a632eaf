import test from 'ava';
import { failedRow, problemsOf, tableRow } from './support/problems.js';
import type { Outcome } from './support/under-attack.js';

const OUTCOME: Outcome = {
  attacks: ['10 connections'],
  failures: [],
  end: undefined,
  peakBytes: 100,
  limitBytes: 200,
  users: [{ name: 'reader', actions: 5, failures: [], slowestMs: 20, p99Ms: 10 }],
  durationMs: 10_000,
  leftOut: { totalMs: 0, longestMs: 0 },
};

test('an outcome without failures, within memory and time, has no problems', (t) => {
  t.deepEqual(problemsOf(OUTCOME), []);
  t.regex(tableRow(['ping-flood'], OUTCOME), /^\| ping-flood \| 10 connections \|.*\| survived \|$/);
});

test('a failed attack is a problem of its round', (t) => {
  const outcome = { ...OUTCOME, attacks: ['the attack a failed: x', 'done'], failures: ['the attack a failed: x'] };
  t.deepEqual(problemsOf(outcome), ['the attack a failed: x']);
  t.regex(tableRow(['a', 'b'], outcome), /\| the attack a failed: x \|$/);
});

test('failed and slow users, too much memory, and the end of the server are problems', (t) => {
  const users = [{ name: 'reader', actions: 5, failures: ['refused'], slowestMs: 1000, p99Ms: 1000 }];
  const end = { code: 1, signal: null, tail: 'out of memory' };
  t.deepEqual(problemsOf({ ...OUTCOME, users, end, peakBytes: 200 }).length, 4);
});

test('users whose process was not scheduled for most of the time, beside one long gap, are a problem', (t) => {
  const problemsWith = (totalMs: number, longestMs: number) =>
    problemsOf({ ...OUTCOME, leftOut: { totalMs, longestMs } });
  t.deepEqual(problemsWith(8_000, 8_000), []);
  t.deepEqual(problemsWith(5_000, 200), []);
  t.deepEqual(problemsWith(6_000, 200), [
    'the process of the users was not scheduled for 6000 of 10000 ms, so that their waits are not known',
  ]);
});

test('a round that could not be run has a row with the reason', (t) => {
  t.is(failedRow(['a', 'b'], new Error('no API server')), '| a + b | not run |  |  | no API server |');
});
