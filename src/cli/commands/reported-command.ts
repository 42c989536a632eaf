import { Command } from 'clipanion';
import type { CommandContext } from '../command-context.js';

export const BINARY_NAME = 'navigator-discovery';

/** A command whose failure is exit code 1 and a line on stderr, without usage text (BEHAVIOUR 2). */
export abstract class ReportedCommand extends Command<CommandContext> {
  /** @throws any error, which is reported */
  protected abstract perform(): Promise<void>;

  override async execute(): Promise<number> {
    try {
      await this.perform();
      return 0;
    } catch (error) {
      this.context.stderr.write(failureLine(error));
      return 1;
    }
  }
}

/** One line for whatever was thrown. */
export function failureLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${BINARY_NAME}: ${message.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')}\n`;
}
