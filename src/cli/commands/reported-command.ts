import { Command } from 'clipanion';
import type { CommandContext } from '../command-context.js';

/** A command whose failure is exit code 1 and a line on stderr, without usage text (BEHAVIOUR 2). */
export abstract class ReportedCommand<Context extends CommandContext> extends Command<Context> {
  /** @throws any error, which is reported */
  protected abstract perform(): Promise<void>;

  override async execute(): Promise<number> {
    try {
      await this.perform();
      return 0;
    } catch (error) {
      this.context.stderr.write(failureLine(this.cli.binaryName, error));
      return 1;
    }
  }
}

/** One line for whatever was thrown. */
export function failureLine(binaryName: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${binaryName}: ${message.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')}\n`;
}
