import test from 'ava';
import { createLineWriter } from '../../src/telemetry/line-writer.js';

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A file that accepts a few bytes at a time and fails as often as configured. */
function createSubject() {
  const state = { written: '', failures: [] as Error[], stuck: undefined as Error | undefined, calls: 0 };
  const writer = createLineWriter((bytes) => {
    state.calls++;
    const next = state.stuck ?? state.failures.shift();
    if (next !== undefined) throw next;
    const taken = bytes.subarray(0, 4);
    state.written += taken.toString();
    return taken.length;
  });
  return { state, writer };
}

test('a line is written completely, in as many pieces as needed', (t) => {
  const { state, writer } = createSubject();
  writer.write('a line of text\n');
  writer.write('ümläut\n');
  t.is(state.written, 'a line of text\nümläut\n');
});

test('a line waits for a reader that is busy briefly', (t) => {
  const { state, writer } = createSubject();
  state.failures = [failure('EAGAIN'), failure('EAGAIN')];
  writer.write('line\n');
  t.is(state.written, 'line\n');
});

test('a stalled reader costs one wait, then whole lines, never part of a line', (t) => {
  const { state, writer } = createSubject();
  writer.write('first\n');
  state.stuck = failure('EAGAIN');
  const callsBefore = state.calls;
  for (let line = 0; line < 100; line++) writer.write(`lost ${line}\n`);
  // 100 lines, and 100 tries of 10 ms in the one wait.
  t.true(state.calls - callsBefore <= 200, `${state.calls - callsBefore} calls`);
  state.stuck = undefined;
  writer.write('last\n');
  t.is(state.written, 'first\nlast\n');
});

test('a full disk loses lines without a wait, and a partial line is completed before the next one', (t) => {
  const { state, writer } = createSubject();
  state.failures = [];
  const halfWritten = createLineWriter((bytes) => {
    if (state.calls++ === 1) throw failure('ENOSPC');
    const taken = bytes.subarray(0, 4);
    state.written += taken.toString();
    return taken.length;
  });
  halfWritten.write('a line\n');
  t.is(state.written, 'a li');
  halfWritten.write('another\n');
  t.is(state.written, 'a line\nanother\n');
  state.stuck = failure('ENOSPC');
  const callsBefore = state.calls;
  writer.write('lost\n');
  t.is(state.calls, callsBefore + 1);
});
