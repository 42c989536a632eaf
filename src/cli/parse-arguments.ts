import type { GivenFlags } from './parse-options.js';
import type { Flag } from './settings/setting.js';
import { quote, SettingError } from './settings/setting-error.js';

/** What every flag has, whatever the type of its value. */
export type AnyFlag = Pick<Flag<never>, 'name' | 'shorthand' | 'default' | 'meaning' | 'addition'> & {
  readonly type: { readonly name: string; readonly standsAlone?: boolean };
};

/** A command line, taken apart. */
export interface Arguments {
  /** The first word that is no flag, if any. */
  readonly command: string | undefined;
  /** The words after the command. */
  readonly operands: readonly string[];
  readonly flags: GivenFlags;
  /** `-h` or `--help` was given. */
  readonly help: boolean;
}

/**
 * Takes a command line apart as Go programs do: `--flag value`, `--flag=value`, `--bool`, `--bool=false`, `-f value`,
 * `-fvalue`, `-f=value`; `--` ends the flags. Clipanion cannot do this, for it knows neither camelCase nor underscores in
 * flag names, nor `--bool=false`; so it is given only the command and its operands.
 *
 * @param flags the flags of all commands
 * @param binaryName for advice in errors
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
        throw new SettingError(`--${flag.name}`, `--${flag.name} needs a value: a ${flag.type.name}`);
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

/** Everything after the letter, and after a `=`, is the value. */
function parseShorthand(token: string, flags: readonly AnyFlag[], binaryName: string): FlagToken {
  const letter = token.slice(1, 2);
  const flag = flags.find((candidate) => candidate.shorthand === letter);
  const rest = token.slice(2);
  if (flag === undefined || (flag.type.standsAlone === true && rest !== '' && !rest.startsWith('='))) {
    throw unknownFlag(token, flags, binaryName);
  }
  return { flag, value: rest === '' ? undefined : rest.replace(/^=/, '') };
}

/** @param flags those that are allowed where the unknown one stood */
export function unknownFlag(
  given: string,
  flags: readonly AnyFlag[],
  binaryName: string,
  command?: string,
): SettingError {
  const similar = flags.find((flag) => plain(flag.name) === plain(given));
  const advice =
    similar === undefined ? `see ${binaryName} ${command ?? '<command>'} --help` : `did you mean --${similar.name}?`;
  const where = command === undefined ? '' : ` of ${command}`;
  return new SettingError(given, `${quote(given)} is not a flag${where}: ${advice}`);
}

function plain(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}
