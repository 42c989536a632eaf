import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';

/** Lines of output kept for error messages and assertions. */
const KEPT_LINES = 2_000;

export interface ManagedProcessOptions {
  /** For error messages. */
  readonly name: string;
  readonly command: readonly string[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Opens a Node IPC channel to it; default false. */
  readonly ipc?: boolean;
}

/** How a process ended; undefined parts are null. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process whose output is kept, and that never outlives us. */
export interface ManagedProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** Last lines of stdout and stderr. */
  readonly lines: readonly string[];
  /** Settles when the process has ended. */
  readonly exited: Promise<ProcessEnd>;
  isRunning(): boolean;
  /** Sends the signal, waits for the end, and sends SIGKILL after the grace (default 5,000 ms). */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>;
  /** The last output, for an error message. */
  tail(lines?: number): string;
}

/** Starts a process under `setpriv --pdeathsig`, so that the kernel ends it when this process ends for any reason. */
export function startManagedProcess({ name, command, env = {}, ipc = false }: ManagedProcessOptions): ManagedProcess {
  const stdio: StdioOptions = ipc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'];
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio, env: { ...process.env, ...env } });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      if (lines.length > KEPT_LINES) lines.splice(0, lines.length - KEPT_LINES);
    });
    stream?.on('close', () => {
      if (rest !== '') lines.push(rest);
    });
  }
  let running = true;
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.on('error', (error) => {
      lines.push(`${name}: ${error.message}`);
      running = false;
      resolve({ code: null, signal: null });
    });
    child.on('exit', (code, signal) => {
      running = false;
      resolve({ code, signal });
    });
  });
  return {
    name,
    child,
    lines,
    exited,
    isRunning: () => running,
    tail: (count = 20) => lines.slice(-count).join('\n'),
    async stop(signal = 'SIGTERM', graceMs = 5_000) {
      if (!running) return;
      child.kill(signal);
      const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(force);
    },
  };
}
