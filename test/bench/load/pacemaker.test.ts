import test from 'ava';
import { createPacemaker } from '../../../bench/load/pacemaker.js';
import { monotonicMs } from '../../../bench/measure/monotonic-clock.js';

test('a wait ends at its time, not earlier, and without a busy processor', async (t) => {
  const pacemaker = createPacemaker();
  t.teardown(() => pacemaker.close());
  await pacemaker.until(monotonicMs() + 1);
  const shares: number[] = [];
  // Other work of this process, such as compiling, falls into some of the rounds.
  for (let round = 0; round < 5; round++) {
    const cpuBefore = process.cpuUsage();
    const startMs = monotonicMs();
    for (let index = 1; index <= 100; index++) {
      const dueMs = startMs + index * 2.5;
      await pacemaker.until(dueMs);
      t.true(monotonicMs() >= dueMs);
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    shares.push((user + system) / 1000 / (monotonicMs() - startMs));
  }
  t.true(Math.min(...shares) < 0.5, `a busy loop would use all of the time: ${shares}`);
});

test('a time in the past needs no wait', async (t) => {
  const pacemaker = createPacemaker();
  t.teardown(() => pacemaker.close());
  const startMs = monotonicMs();
  await pacemaker.until(startMs - 10_000);
  t.true(monotonicMs() - startMs < 5_000);
});
