import { spawn } from 'node:child_process';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchError } from '../cli/bench-error.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { describeExit, endProcess, type OwnedProcesses } from '../subject/owned-process.js';

const POLL_MS = 20;
const LOG_LINES_SHOWN = 15;

export interface EnvoyProcessOptions {
  readonly processes: OwnedProcesses;
  readonly binary: string;
  /** Its admin interface is on loopback, at this port. */
  readonly adminPort: number;
  readonly bootstrap: object;
  /** Folder for its bootstrap and log. */
  readonly workFolder: string;
  readonly timeoutMs: number;
}

/** A running Envoy with one worker thread. */
export interface EnvoyProcess {
  readonly pid: number | undefined;
  /** Never resolves; rejects when the process ends by itself. */
  readonly failed: Promise<never>;
  /** A counter or gauge; 0 when Envoy has not made it yet. */
  stat(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts Envoy and waits until its listeners take traffic. */
export async function startEnvoyProcess(options: EnvoyProcessOptions): Promise<EnvoyProcess> {
  const { processes, binary, adminPort, bootstrap, workFolder, timeoutMs } = options;
  const bootstrapFile = join(workFolder, 'envoy.json');
  const logFile = join(workFolder, 'envoy.log');
  await writeFile(bootstrapFile, JSON.stringify(bootstrap));
  const log = await open(logFile, 'w');
  const args = [
    '--config-path',
    bootstrapFile,
    '--concurrency',
    '1',
    '--log-level',
    'warning',
    '--disable-hot-restart',
  ];
  const child = spawn(binary, args, { stdio: ['ignore', log.fd, log.fd] });
  processes.add(child);
  await log.close();
  const failure = async (what: string): Promise<BenchError> =>
    new BenchError('envoy-failed', `Envoy ${what}. Its log ends:\n${await tailOf(logFile)}`);
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => void failure(`did not start: ${error.message}`).then(reject));
    child.once('exit', (code, signal) => void failure(describeExit(code, signal)).then(reject));
  });
  failed.catch(() => {});
  const stat = async (name: string): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/stats?format=json&filter=^${encodeURIComponent(name)}$`);
    const { stats } = (await answer.json()) as { readonly stats: readonly { name?: string; value?: number }[] };
    return stats.find((each) => each.name === name)?.value ?? 0;
  };
  const untilReady = async (): Promise<void> => {
    const deadlineMs = monotonicMs() + timeoutMs;
    while (!(await isReady(adminPort))) {
      if (monotonicMs() > deadlineMs) throw await failure(`was not ready after ${timeoutMs / 1000} s`);
      await delay(POLL_MS);
    }
  };
  try {
    await Promise.race([untilReady(), failed]);
  } catch (error) {
    await endProcess(child);
    throw error;
  }
  return { pid: child.pid, failed, stat, stop: () => endProcess(child) };
}

async function isReady(adminPort: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${adminPort}/ready`)).status === 200;
  } catch {
    return false;
  }
}

async function tailOf(logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const lines = log.trimEnd().split('\n').slice(-LOG_LINES_SHOWN);
  return lines.map((line) => `  ${line}`).join('\n');
}
