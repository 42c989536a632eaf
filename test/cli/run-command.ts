import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { discoveryProgram } from '../../src/cli/discovery-program.js';
import { run } from '../../src/cli/run.js';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line of `navigator-discovery` in this process, without a terminal. */
export async function runCommandLine(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const loadDiscovery = () => Promise.reject(new Error('no server is started'));
  const streams = { stdin: Readable.from(['']), stdout, stderr };
  const code = await run(argv, { env: { ...env }, ...streams, colorDepth: 8, loadDiscovery }, discoveryProgram);
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}
