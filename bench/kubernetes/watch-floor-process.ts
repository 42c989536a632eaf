import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../cli/bench-error.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { type ProcessUsage, readProcessUsage } from '../measure/process-usage.js';
import { describeExit, endProcess, type OwnedProcesses } from '../subject/owned-process.js';
import type { WatchFloorReport, WatchFloorTarget } from './watch-floor-protocol.js';

/** A process that reads the cluster and does nothing with it. */
export interface WatchFloorProcess {
  /** From its start until everything was listed and parsed. */
  readonly listedMs: number;
  readonly objects: number;
  /** Of JSON. */
  readonly bytes: number;
  /** When it had listed everything. */
  readonly usage: ProcessUsage | undefined;
  stop(): Promise<void>;
}

/** @param onArrivals told of marked addresses that a watch brought: pairs of a change's number and when it came */
export async function startWatchFloor(
  target: WatchFloorTarget,
  processes: OwnedProcesses,
  onArrivals: (arrivals: readonly number[]) => void,
): Promise<WatchFloorProcess> {
  const startedAtMs = monotonicMs();
  const child = fork(fileURLToPath(new URL('../watch-floor-server.js', import.meta.url)), [JSON.stringify(target)], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  processes.add(child);
  const listed = await new Promise<Extract<WatchFloorReport, { kind: 'listed' }>>((resolve, reject) => {
    child.on('message', (report: WatchFloorReport) => {
      if (report.kind === 'listed') resolve(report);
      else onArrivals(report.arrivals);
    });
    child.once('exit', (code, signal) => {
      reject(new BenchError('server-failed', `The floor that reads the cluster ${describeExit(code, signal)}.`));
    });
  });
  const listedMs = monotonicMs() - startedAtMs;
  const usage = child.pid === undefined ? undefined : await readProcessUsage(child.pid);
  return { listedMs, objects: listed.objects, bytes: listed.bytes, usage, stop: () => endProcess(child) };
}
