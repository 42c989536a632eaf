import { spawn } from 'node:child_process';

/** Result of a program. */
export interface ProgramResult {
  readonly ok: boolean;
  readonly output: string;
  /** Why it failed, in one line. */
  readonly complaint: string;
}

/** Runs a program to its end. */
export type RunProgram = (command: readonly string[], input?: string) => Promise<ProgramResult>;

const TIMEOUT_MS = 30_000;

/**
 * Runs a program of this machine.
 *
 * @param variables its whole environment
 */
export function createProgramRunner(variables: Readonly<Record<string, string>>): RunProgram {
  return (command, input = '') => {
    const [program = '', ...args] = command;
    return new Promise((resolve) => {
      const child = spawn(program, args, { env: { ...variables }, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
      const output: string[] = [];
      const complaints: string[] = [];
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk));
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => complaints.push(chunk));
      child.on('error', (error) => resolve({ ok: false, output: '', complaint: `${program}: ${error.message}` }));
      child.on('close', (code, signal) => {
        const said = complaints
          .join('')
          .trim()
          .replaceAll(/\s*\n\s*/g, '; ');
        resolve({
          ok: code === 0,
          output: output.join(''),
          complaint: `${program}: ${said || `ended with ${signal ?? code}`}`,
        });
      });
      // A program that ends without reading closes the pipe. Its exit code reports the failure.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  };
}
