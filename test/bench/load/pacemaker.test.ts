import test from 'ava';
import { createPacemaker } from '../../../bench/load/pacemaker.js';
import { monotonicMs } from '../../../bench/measure/monotonic-clock.js';

test('a wait ends when its moment has come, not before, and without keeping a processor busy', async (t) => {
  const pacemaker = createPacemaker();
  t.teardown(() => pacemaker.close());
  await pacemaker.until(monotonicMs() + 1);
  const cpuBefore = process.cpuUsage();
  const startMs = monotonicMs();
  for (let index = 1; index <= 100; index++) {
    const dueMs = startMs + index * 2.5;
    await pacemaker.until(dueMs);
    t.true(monotonicMs() >= dueMs);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  t.true((user + system) / 1000 < (monotonicMs() - startMs) / 2, 'a busy loop would use all of the time');
});

test('a moment that is past is not waited for', async (t) => {
  const pacemaker = createPacemaker();
  t.teardown(() => pacemaker.close());
  const startMs = monotonicMs();
  await pacemaker.until(startMs - 10_000);
  t.true(monotonicMs() - startMs < 5_000);
});
