import test from 'ava';
import { createDebounced } from '../../../src/sources/file/debounced.js';
import { createManualClock } from '../support/manual-clock.js';

function setUp() {
  const clock = createManualClock();
  const runs: number[] = [];
  const debounced = createDebounced(() => runs.push(clock.monotonicMs()), { clock, quietMs: 50, maxMs: 200 });
  return { clock, runs, debounced };
}

test('a burst runs once, when it has been quiet for long enough', (t) => {
  const { clock, runs, debounced } = setUp();
  debounced.trigger();
  clock.advance(30);
  debounced.trigger();
  clock.advance(49);
  t.deepEqual(runs, []);
  clock.advance(1);
  t.deepEqual(runs, [80]);
  clock.advance(1000);
  t.deepEqual(runs, [80]);
});

test('a burst that does not end is cut after the longest wait, and the next one starts afresh', (t) => {
  const { clock, runs, debounced } = setUp();
  for (let step = 0; step < 25; step++) {
    debounced.trigger();
    clock.advance(10);
  }
  t.deepEqual(runs, [200]);
  clock.advance(50);
  t.deepEqual(runs, [200, 290]);
});

test('a cancelled run does not happen and leaves no timer', (t) => {
  const { clock, runs, debounced } = setUp();
  debounced.trigger();
  debounced.cancel();
  clock.advance(1000);
  t.deepEqual(runs, []);
  t.is(clock.pending, 0);
});
