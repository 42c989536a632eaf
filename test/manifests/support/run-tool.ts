import { type SpawnOptions, spawn } from 'node:child_process';

export interface ToolResult {
  readonly code: number | null;
  readonly output: string;
  /** Errors and warnings. */
  readonly complaint: string;
}

/** Runs a program to its end, and collects its output. */
export function runTool(
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'>,
): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, complaint }));
  });
}
