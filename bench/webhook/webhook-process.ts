import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../cli/bench-error.js';
import { describeExit, endProcess, type OwnedProcesses } from '../subject/owned-process.js';
import type { WebhookServerReady, WebhookServerTask } from './webhook-protocol.js';

/** The measured server or its floor. */
const ENTRIES = {
  server: new URL('../webhook-server.js', import.meta.url),
  floor: new URL('../webhook-floor-server.js', import.meta.url),
} as const;

/** A webhook server in a separate process. */
export interface WebhookProcess extends WebhookServerReady {
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export async function startWebhookProcess(
  subject: keyof typeof ENTRIES,
  task: WebhookServerTask,
  processes: OwnedProcesses,
): Promise<WebhookProcess> {
  const child = fork(fileURLToPath(ENTRIES[subject]), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  processes.add(child);
  const ready = once(child, 'message');
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new BenchError('server-failed', `The webhook server ${describeExit(code, signal)}.`);
  });
  ended.catch(() => {});
  child.send(task);
  const [message] = (await Promise.race([ready, ended])) as [WebhookServerReady];
  return { ...message, pid: child.pid, stop: () => endProcess(child) };
}
