import { writeFile } from 'node:fs/promises';
import { errorText } from '../../src/base/error-text.js';
import { describeMachine } from '../report/machine.js';
import { createTerminalStyle, type TerminalStyle } from '../report/terminal-style.js';
import type { CommandOutput, Flags } from './bench-command.js';
import { BenchError } from './bench-error.js';
import type { ParsedFlags } from './parsed-flags.js';

/** Flags of every command that measures. */
export const RESULT_FLAGS = {
  json: { placeholder: '[FILE]', isOptional: true, description: 'write JSON there beside the text, or print it alone' },
  strict: { default: false, description: 'exit with 1 when a goal is missed' },
} as const satisfies Flags;

/** The result of a run. */
export interface RunResult {
  /** For people. */
  text(style: TerminalStyle): string;
  /** For programs: options, goals and every value. The machine is added. */
  readonly document: object;
  readonly areGoalsMet: boolean;
}

/**
 * Prints a result as `--json` asks, and gives the exit code that `--strict` asks for.
 *
 * @throws BenchError if the file cannot be written
 */
export async function writeResult(flags: ParsedFlags, output: CommandOutput, result: RunResult): Promise<number> {
  const file = flags.text('json');
  const json = `${JSON.stringify({ machine: describeMachine(), ...result.document }, undefined, 2)}\n`;
  if (file === '') {
    output.stdout.write(json);
  } else {
    output.stdout.write(result.text(createTerminalStyle(process.stdout.isTTY, process.env)));
    if (file !== undefined) await write(file, json);
  }
  return flags.isOn('strict') && !result.areGoalsMet ? 1 : 0;
}

async function write(file: string, json: string): Promise<void> {
  try {
    await writeFile(file, json);
  } catch (cause) {
    const reason = errorText(cause);
    throw new BenchError('file-not-written', `--json: ${file} cannot be written: ${reason}.`, { cause });
  }
}
