import { nearestName } from '../base/nearest-name.js';
import type { GivenFlags } from './parse-options.js';
import type { Flag } from './settings/setting.js';
import { quote, SettingError } from './settings/setting-error.js';

/** The parts of a flag that do not depend on the type of its value. */
export type AnyFlag = Pick<Flag<never>, 'name' | 'shorthand' | 'default' | 'meaning' | 'addition' | 'unimplemented'> & {
  readonly type: { readonly name: string; readonly standsAlone?: boolean };
};

/** A parsed command line. */
export interface Arguments {
  /** The first word that is not a flag, if any. */
  readonly command: string | undefined;
  /** The words after the command. */
  readonly operands: readonly string[];
  readonly flags: GivenFlags;
  /** Whether the line has `-h` or `--help`. */
  readonly help: boolean;
}

/**
 * Parses a command line like Go programs do: `--flag value`, `--flag=value`, `--bool`, `--bool=false`, `-f value`,
 * `-fvalue`, `-f=value`; `--` ends the flags. Clipanion supports neither camelCase and underscores in flag names nor
 * `--bool=false`, so it gets only the command and its operands.
 *
 * @param flags the flags of all commands
 * @param binaryName for the remedy in errors
 * @throws SettingError for an unknown flag or a missing value
 */
export function parseArguments(
  argv: readonly string[],
  flags: readonly AnyFlag[],
  binaryName = 'navigator-discovery',
): Arguments {
  const words: string[] = [];
  const given = new Map<string, string[]>();
  let help = false;
  let position = 0;

  while (position < argv.length) {
    const token = argv[position++] ?? '';
    if (token === '--') {
      words.push(...argv.slice(position));
      break;
    }
    if (token === '--help' || token === '-h') {
      help = true;
    } else if (!token.startsWith('-') || token === '-') {
      words.push(token);
    } else {
      const { flag, value } = token.startsWith('--')
        ? parseLongFlag(token, flags, binaryName)
        : parseShorthand(token, flags, binaryName);
      const text = value ?? (flag.type.standsAlone === true ? 'true' : argv[position++]);
      if (text === undefined) {
        throw new SettingError(`--${flag.name}`, `--${flag.name} needs a value of type ${flag.type.name}`);
      }
      given.set(flag.name, [...(given.get(flag.name) ?? []), text]);
    }
  }
  return { command: words[0], operands: words.slice(1), flags: given, help };
}

interface FlagToken {
  readonly flag: AnyFlag;
  readonly value: string | undefined;
}

function parseLongFlag(token: string, flags: readonly AnyFlag[], binaryName: string): FlagToken {
  const equals = token.indexOf('=');
  const name = token.slice(2, equals < 0 ? undefined : equals);
  const flag = flags.find((candidate) => candidate.name === name);
  if (flag === undefined) {
    throw unknownFlag(`--${name}`, flags, binaryName);
  }
  return { flag, value: equals < 0 ? undefined : token.slice(equals + 1) };
}

/** The value is the rest after the letter, without a leading `=`. */
function parseShorthand(token: string, flags: readonly AnyFlag[], binaryName: string): FlagToken {
  const letter = token.slice(1, 2);
  const flag = flags.find((candidate) => candidate.shorthand === letter);
  const rest = token.slice(2);
  if (flag === undefined || (flag.type.standsAlone === true && rest !== '' && !rest.startsWith('='))) {
    throw unknownFlag(token, flags, binaryName);
  }
  return { flag, value: rest === '' ? undefined : rest.replace(/^=/, '') };
}

/** @param flags the flags that are allowed at this place */
export function unknownFlag(
  given: string,
  flags: readonly AnyFlag[],
  binaryName: string,
  command?: string,
): SettingError {
  const names = flags.map(({ name }) => name);
  const similar = names.find((name) => plain(name) === plain(given)) ?? nearestName(given.replace(/^-+/, ''), names);
  const advice =
    similar === undefined ? `see ${binaryName} ${command ?? '<command>'} --help` : `did you mean --${similar}?`;
  const where = command === undefined ? '' : ` of ${command}`;
  return new SettingError(given, `${quote(given)} is not a flag${where}: ${advice}`);
}

/** The name without the characters in which flags usually differ by mistake. */
function plain(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}
