import { type CommandHelp, commonFlagsOf } from '../help.js';
import type { AnyFlag } from '../parse-arguments.js';

/** What a shell completes, made from the tables of commands and flags. */
export interface CompletionTable {
  readonly binary: string;
  readonly commands: readonly CompletedCommand[];
}

export interface CompletedCommand {
  readonly name: string;
  /** First sentence of its help. */
  readonly purpose: string;
  /** Whether its operands can be files. */
  readonly takesFiles: boolean;
  /** Words that the first operand can be. */
  readonly words: readonly string[];
  readonly flags: readonly CompletedFlag[];
}

export interface CompletedFlag {
  readonly name: string;
  readonly shorthand: string | undefined;
  readonly meaning: string;
  readonly takesValue: boolean;
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

const WORDS: Readonly<Record<string, readonly string[]>> = {
  request: ['GET', 'HEAD'],
  completion: SHELLS,
  policy: ['why'],
};

/** @param common flags that every command accepts; those without an effect on a command are left out */
export function completionTable(
  binary: string,
  commands: ReadonlyMap<string, CommandHelp>,
  common: readonly AnyFlag[],
): CompletionTable {
  return {
    binary,
    commands: [...commands].map(([name, help]) => ({
      name,
      purpose: firstSentence(help.purpose),
      takesFiles: name === 'analyze',
      words: WORDS[name] ?? [],
      flags: [...help.flags, ...commonFlagsOf(help, common)].map((flag) => ({
        name: flag.name,
        shorthand: flag.shorthand,
        meaning: firstSentence(flag.meaning),
        takesValue: flag.type.standsAlone !== true,
      })),
    })),
  };
}

function firstSentence(text: string): string {
  return text.split(/(?<=[a-z)])[.;](?: |$)/)[0] ?? text;
}
