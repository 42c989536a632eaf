import test from 'ava';
import { createShedControl, type ShedControl } from '../../../src/policy/server/shed-control.js';

const SHED_AFTER_MS = 500;
const WINDOW_MS = 100;

/** A server that decides a check in 0.1 ms and sheds one in 0.06 ms, and can be asked for any number of checks. */
function createServer(costs = { decidedMs: 0.1, shedMs: 0.06 }) {
  const control = createShedControl();
  let nowMs = 0;
  let queue = 0;
  /** One window of that demand; of it as much is done as there is time for, and the rest waits, 1,024 checks at most. */
  const window = (demand: number, otherMs = 0): { readonly decided: number; readonly queue: number } => {
    const share = control.share;
    const costMs = (1 - share) * costs.decidedMs + share * costs.shedMs;
    const done = Math.min(demand + queue, (WINDOW_MS - otherMs) / costMs);
    queue = Math.min(1024, demand + queue - done);
    const cpuMs = done * costMs + otherMs;
    nowMs += WINDOW_MS;
    control.observe({ use: cpuMs / WINDOW_MS, cpuMs, checks: done, durationMs: WINDOW_MS, nowMs }, SHED_AFTER_MS);
    return { decided: done * (1 - share), queue };
  };
  const run = (windows: number, demand: number, otherMs = 0) =>
    Array.from({ length: windows }, () => window(demand, otherMs));
  return { control, run };
}

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test('a server that has pauses sheds nothing', (t) => {
  const { control, run } = createServer();
  run(100, 900);
  t.is(control.share, 0);
});

test('checks are shed after the loop was full for the configured time, and then no queue remains', (t) => {
  const { control, run } = createServer();
  run(10, 500);
  run(4, 1150);
  t.is(control.share, 0);
  run(2, 1150);
  t.true(control.share > 0);
  const later = run(300, 1150);
  t.true(average(later.slice(100).map(({ queue }) => queue)) < 300);
  t.true(average(later.slice(100).map(({ decided }) => decided)) > 250);
});

test('at two and at ten times its capacity, the server decides at least half of its capacity', (t) => {
  for (const demand of [2000, 10_000]) {
    const { run } = createServer();
    run(10, 500);
    const decided = run(600, demand).map((each) => each.decided);
    t.true(average(decided.slice(20)) >= 500, `${average(decided.slice(20))} of 1000 at ${demand}`);
  }
});

test('shedding ends soon after the demand', (t) => {
  const { control, run } = createServer();
  run(100, 1500);
  t.true(control.share > 0);
  run(40, 200);
  t.is(control.share, 0);
});

test('a loop that is busy with other work sheds nothing', (t) => {
  const { control, run } = createServer();
  run(50, 900);
  run(100, 100, 90);
  t.is(control.share, 0);
});

test('a process without processor time for a few checks sheds none of them', (t) => {
  const control = createShedControl();
  for (let window = 0; window < 50; window++) {
    const nowMs = window * WINDOW_MS;
    control.observe({ use: 1, cpuMs: 10, checks: 40, durationMs: WINDOW_MS, nowMs }, SHED_AFTER_MS);
  }
  t.is(control.share, 0);
});

test('time that other processes take on the processor does not hide that the loop is full of checks', (t) => {
  const control: ShedControl = createShedControl();
  const observe = (checks: number, nowMs: number) =>
    control.observe({ use: 1, cpuMs: checks * 0.1, checks, durationMs: WINDOW_MS, nowMs }, SHED_AFTER_MS);
  for (let window = 0; window < 3; window++) observe(900, window * WINDOW_MS);
  for (let window = 3; window < 10; window++) observe(200, window * WINDOW_MS);
  t.true(control.share > 0);
});
