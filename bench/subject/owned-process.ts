import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** How long a process may take to end after SIGTERM before it is killed. */
const GRACE_MS = 3000;

/** The child processes of a run, so that none outlives it however it ends. */
export class OwnedProcesses {
  readonly #running = new Set<ChildProcess>();

  add(child: ChildProcess): void {
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
  }

  /** Ends all of them: politely, then by force. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#running].map(endProcess));
  }

  /** For the last moment of the bench's own process, when nothing can be waited for. */
  killAll(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }
}

/** Ends a child process: politely, then by force. Does nothing when it has ended already. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(timer);
}

/** How a process ended, in words. */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
}
