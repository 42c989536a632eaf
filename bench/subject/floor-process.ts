import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../cli/bench-error.js';
import type { Recording } from '../client/recording.js';
import type { FloorCommand, FloorReport } from '../floor/floor-protocol.js';
import { describeExit, endProcess, type OwnedProcesses } from './owned-process.js';
import type { Step, Subject } from './subject.js';

/** Starts the floor server in a separate process; `recordingOf` returns the recording of a step. */
export async function startFloorProcess(
  processes: OwnedProcesses,
  recordingOf: (step: Step) => Recording,
): Promise<Subject> {
  const child = fork(fileURLToPath(new URL('../floor-server.js', import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  processes.add(child);
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => {
      reject(new BenchError('server-failed', `The floor server did not start: ${error.message}.`, { cause: error }));
    });
    child.once('exit', (code, signal) => {
      reject(new BenchError('server-failed', `The floor server ${describeExit(code, signal)}.`));
    });
  });
  failed.catch(() => {});
  const answer = () => Promise.race([new Promise<FloorReport>((resolve) => child.once('message', resolve)), failed]);
  const ask = async (command: FloorCommand) => {
    const answered = answer();
    child.send(command);
    await answered;
  };
  const listening = await answer();
  if (listening.kind !== 'listening') {
    await endProcess(child);
    throw new BenchError('server-failed', 'The floor server answered before it listened.');
  }
  return {
    address: `127.0.0.1:${listening.port}`,
    pid: child.pid,
    readyMs: undefined,
    failed,
    prepare: (step) => ask({ kind: 'load', recording: recordingOf(step) }),
    trigger: () => ask({ kind: 'push' }),
    stop: () => endProcess(child),
  };
}
