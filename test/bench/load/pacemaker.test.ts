import test from 'ava';
import { createPacemaker } from '../../../bench/load/pacemaker.js';
import { monotonicMs } from '../../../bench/measure/monotonic-clock.js';
import { runCommand } from '../../counterparts/command.js';

/** Waits a hundred times, and prints the share of the processor that the process took meanwhile. */
const WAITING = `void (async () => {
  const [, pacemakerModule] = process.argv;
  const { createPacemaker } = await import(pacemakerModule);
  const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
  const pacemaker = createPacemaker();
  await pacemaker.until(nowMs() + 1);
  const before = process.cpuUsage();
  const startMs = nowMs();
  for (let wait = 0; wait < 100; wait++) await pacemaker.until(nowMs() + 5);
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1000 / (nowMs() - startMs));
  await pacemaker.close();
})();
`;

test('a wait ends at its time, not earlier', async (t) => {
  const pacemaker = createPacemaker();
  t.teardown(() => pacemaker.close());
  for (let index = 1; index <= 20; index++) {
    const dueMs = monotonicMs() + 2.5;
    await pacemaker.until(dueMs);
    t.true(monotonicMs() >= dueMs);
  }
});

test('a wait does not keep the processor busy', async (t) => {
  // In a process of its own: other tests share this one.
  const module = new URL('../../../bench/load/pacemaker.js', import.meta.url).href;
  const share = await runCommand([process.execPath, '-e', WAITING, module]);
  t.true(Number(share) < 0.5, `a busy loop would take all of the time: ${share}`);
});

test('a time in the past needs no wait', async (t) => {
  const pacemaker = createPacemaker();
  t.teardown(() => pacemaker.close());
  const startMs = monotonicMs();
  await pacemaker.until(startMs - 10_000);
  t.true(monotonicMs() - startMs < 5_000);
});
