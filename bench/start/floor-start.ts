import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../cli/bench-error.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { readProcessUsage } from '../measure/process-usage.js';
import { describeExit, endProcess, type OwnedProcesses } from '../subject/owned-process.js';
import type { StartFigure } from './start-case.js';

/** Starts a bare grpc-js server once: Node.js, the library and a listener, which every start pays for. */
export async function measureFloorStart(processes: OwnedProcesses): Promise<StartFigure> {
  const startedAtMs = monotonicMs();
  const child = fork(fileURLToPath(new URL('../start-floor-server.js', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  processes.add(child);
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code, signal) => {
      reject(new BenchError('server-failed', `The floor of a start ${describeExit(code, signal)}.`));
    });
  });
  const readyMs = monotonicMs() - startedAtMs;
  const usage = await readProcessUsage(child.pid ?? 0);
  await endProcess(child);
  return { readyMs, cpuSeconds: usage?.cpuSeconds ?? Number.NaN, residentBytes: usage?.residentBytes ?? Number.NaN };
}
