import test from 'ava';
import { parseStatCpuSeconds, parseStatusBytes, readProcessUsage } from '../../../bench/measure/process-usage.js';

test('processor time is user plus system time, whatever the name of the command', (t) => {
  const stat = '7505 (node (a) b) S 1 7498 3586 0 -1 4194304 102 0 0 0 250 75 0 0 20 0 1 0 152552 3133440 413';
  t.is(parseStatCpuSeconds(stat), 3.25);
});

test('memory is read in bytes, and the name must fit exactly', (t) => {
  const status = 'Name:\tnode\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n';
  t.is(parseStatusBytes(status, 'VmRSS'), 1024 * 1024);
  t.is(parseStatusBytes(status, 'VmHWM'), 2048 * 1024);
  t.is(parseStatusBytes(status, 'VmR'), 0);
});

test('a process that does not exist has no usage', async (t) => {
  t.is(await readProcessUsage(2 ** 30), undefined);
});

test("this process's processor time grows as it works", async (t) => {
  const before = await readProcessUsage(process.pid);
  if (before === undefined) {
    t.not(process.platform, 'linux');
    return;
  }
  // The kernel accounts for time when it gets to it: work until it shows, or never does.
  const until = performance.now() + 20_000;
  let grown = 0;
  while (grown <= 0.005 && performance.now() < until) {
    grown = ((await readProcessUsage(process.pid))?.cpuSeconds ?? 0) - before.cpuSeconds;
  }
  t.true(grown > 0.005, `grew by ${grown} s`);
  t.true(before.residentBytes > 0 && before.peakResidentBytes >= before.residentBytes / 2);
});
