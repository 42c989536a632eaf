import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../cli/bench-error.js';
import { describeExit, endProcess, type OwnedProcesses } from '../subject/owned-process.js';

/** How Envoy asks a floor. */
export type CheckProtocol = 'grpc' | 'http';

/** The floor of a check in a separate process. */
export interface CheckFloorProcess {
  readonly port: number;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export async function startCheckFloorProcess(
  processes: OwnedProcesses,
  protocol: CheckProtocol,
): Promise<CheckFloorProcess> {
  const child = fork(fileURLToPath(new URL('../check-floor-server.js', import.meta.url)), [protocol], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  processes.add(child);
  const listening = once(child, 'message');
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new BenchError('server-failed', `The floor server ${describeExit(code, signal)}.`);
  });
  ended.catch(() => {});
  const [port] = await Promise.race([listening, ended]);
  return { port: Number(port), pid: child.pid, stop: () => endProcess(child) };
}
