import { HTTP_STATUS_CODES } from './params/http-status-codes.js';

/** The numbers of enum values in the public messages, by name. No two enums share a name. */
const NUMBERS: Readonly<Record<string, number>> = {
  ...{ INFO: 0, WARNING: 1, ERROR: 2 },
  ...{ STDOUT: 0, STDERR: 1, FILE: 2, ROTATED_FILE: 3 },
  ...{ GAUGE: 1, COUNTER: 2, DISTRIBUTION: 3 },
  ...{ FIXED_WINDOW: 0, ROLLING_WINDOW: 1 },
  ...{ STRINGS: 0, CASE_INSENSITIVE_STRINGS: 1, IP_ADDRESSES: 2, REGEX: 3 },
  ...HTTP_STATUS_CODES,
};

/**
 * The name of an enum value that is written as its number, as the JSON form of messages allows and public files do. Other
 * values stay as they are.
 *
 * @param names of the enum
 */
export function enumName(names: readonly string[], value: unknown): unknown {
  if (typeof value !== 'number') return value;
  return names.find((name) => NUMBERS[name] === value) ?? value;
}
