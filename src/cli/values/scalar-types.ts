import { DurationSyntaxError, parseDurationNs } from '../../base/parse-duration.js';
import { formatDuration } from '../../config/format-duration.js';
import { type Parsed, scalarType, type ValueType } from './parsed.js';

const TRUE_TEXTS: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE_TEXTS: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** Any text. */
export const text: ValueType<string> = scalarType('string', (value) => ({ ok: true, value }));

/** The spellings of Go's ParseBool. */
export const bool: ValueType<boolean> = {
  ...scalarType('bool', (value): Parsed<boolean> => {
    if (TRUE_TEXTS.has(value)) {
      return { ok: true, value: true };
    }
    return FALSE_TEXTS.has(value) ? { ok: true, value: false } : { ok: false, allowed: 'true or false' };
  }),
  standsAlone: true,
};

/** An inclusive range. */
export interface Range {
  readonly min: number;
  readonly max?: number;
}

const INT32_MAX = 2 ** 31 - 1;

/** A decimal integer. @param max default: 2^31 - 1 */
export function integer({ min, max = INT32_MAX }: Range, name = 'int'): ValueType<number> {
  return scalarType(name, (value) => {
    const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max
      ? { ok: true, value: number }
      : { ok: false, allowed: `an integer from ${min} to ${max}` };
  });
}

export const uint16: ValueType<number> = integer({ min: 0, max: 65535 }, 'uint16');

/** Parses a finite decimal number such as `12.5` or `1e3`; undefined for other text. */
function parseFloatText(value: string): number | undefined {
  const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

export const positiveFloat: ValueType<number> = scalarType('float', (value) => {
  const number = parseFloatText(value);
  return number !== undefined && number > 0
    ? { ok: true, value: number }
    : { ok: false, allowed: 'a number greater than 0' };
});

/**
 * A percentage in steps of 0.01. A number outside 0 to 100 becomes 100, with a warning
 * (docs/reference/xds.md#http-connection-manager).
 */
export const samplingPercent: ValueType<number> = scalarType('float', (value) => {
  const number = parseFloatText(value);
  if (number === undefined) {
    return { ok: false, allowed: 'a number from 0.0 to 100.0' };
  }
  return number < 0 || number > 100
    ? { ok: true, value: 100, warning: 'out of range 0.0 to 100.0, so 100 is used' }
    : { ok: true, value: Math.round(number * 100) / 100 };
});

const NS_PER_MS = 1_000_000;
const DURATION_SYNTAX =
  'a duration such as 1h30m, 1.5s or 100ms (units h, m, s, ms, us, ns; at most 2562047h47m16.854775807s, positive or negative)';

/** A Go duration, converted to milliseconds. @param minNs minimum in nanoseconds; absent: none */
export function duration({ minNs }: { readonly minNs?: bigint } = {}): ValueType<number> {
  return scalarType('duration', (value) => {
    const nanoseconds = readDuration(value);
    if (nanoseconds === undefined) {
      return { ok: false, allowed: DURATION_SYNTAX };
    }
    return minNs !== undefined && nanoseconds < minNs
      ? { ok: false, allowed: `a duration of ${formatDuration(minNs)} or more` }
      : { ok: true, value: Number(nanoseconds) / NS_PER_MS };
  });
}

function readDuration(text: string): bigint | undefined {
  try {
    return parseDurationNs(text);
  } catch (error) {
    if (error instanceof DurationSyntaxError) return undefined;
    throw error;
  }
}

/** One of several words, case-sensitive. */
export function oneOf<Word extends string>(words: readonly Word[]): ValueType<Word> {
  return scalarType('string', (value) => parseWord(words, value));
}

export function parseWord<Word extends string>(words: readonly Word[], value: string): Parsed<Word> {
  const word = words.find((candidate) => candidate === value);
  return word === undefined ? { ok: false, allowed: `one of ${words.join(', ')}` } : { ok: true, value: word };
}
