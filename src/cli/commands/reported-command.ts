import { Command } from 'clipanion';
import { errorText } from '../../base/error-text.js';
import { printable } from '../../base/printable.js';
import type { CommandContext } from '../program.js';

/** Exit code of commands that look for problems, if they find some. Failures of the command itself end with 1. */
export const FOUND = 2;

/**
 * A command that reports a failure by exit code 1 and one line on stderr, without usage text
 * (docs/reference/http.md#commands).
 */
export abstract class ReportedCommand<Context extends CommandContext> extends Command<Context> {
  /** The exit code if `perform` does not throw. */
  protected exitCode = 0;

  /** @throws any error, which is reported */
  protected abstract perform(): Promise<void>;

  override async execute(): Promise<number> {
    try {
      await this.perform();
      return this.exitCode;
    } catch (error) {
      this.context.stderr.write(failureLine(this.cli.binaryName, error));
      return 1;
    }
  }
}

/** The message of an error in one line, without control characters: it may quote the text of a server. */
export function failureLine(binaryName: string, error: unknown): string {
  const message = errorText(error);
  return `${binaryName}: ${printable(message.trim().replaceAll(/\s*[\r\n]+\s*/g, ' '))}\n`;
}

/**
 * Makes stack traces name files and lines of `src/` instead of the bundle. It costs memory and time for each file loaded
 * later, so call it before the server is loaded, and only if the log includes callers.
 */
export function useSourceMaps(): void {
  process.setSourceMapsEnabled(true);
}
