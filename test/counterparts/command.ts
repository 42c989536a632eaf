import { spawn } from 'node:child_process';

/**
 * Runs a program to its end and returns its output.
 *
 * @param input text for its standard input; default none
 * @throws Error with the command, its exit code and its errors
 */
export function runCommand(command: readonly string[], input = ''): Promise<string> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint += chunk;
    });
    child.on('error', (cause) => reject(new Error(`${program}: ${cause.message}`, { cause })));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command.join(' ')}: ended with ${signal ?? code}: ${(complaint || output).trim()}`));
    });
    // A program that ends without reading its input closes the pipe. Its exit code reports the failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
