import { RE2JSException, RE2Set } from 're2js';
import { DEFAULT_REGEX_LIMITS, formatKib } from './regex-limits.js';
import { regexSize } from './regex-size.js';

export type RegexCheck =
  | {
      readonly type: 'regex';
      /** Upper bound of the memory of the compiled program. */
      readonly bytes: number;
    }
  | {
      readonly type: 'error';
      readonly message: string;
      readonly remedy: string;
      /** Set if the expression itself is valid, but exceeds the limit of a sum. */
      readonly isSum?: true;
    };

/** Maximum of RE2 for counted repetitions, also for the product of nested repetitions. */
const MAX_PRODUCT = 1000;

/** Checks one expression. */
export type CheckRegex = (text: string) => RegexCheck;

/**
 * Checks whether RE2 accepts an expression, and computes its size. Never throws. Does not parse an expression beyond the
 * limit. The time depends on the text, not on its repetitions: some ten microseconds.
 *
 * @param maxBytes `expressionBytes` of the limits
 */
export function checkRegex(text: string, maxBytes = DEFAULT_REGEX_LIMITS.expressionBytes): RegexCheck {
  const size = regexSize(text);
  if (size.type === 'oversized') return { type: 'error', message: size.message, remedy: size.remedy };
  if (size.bytes > maxBytes) {
    return {
      type: 'error',
      message: `takes ${formatKib(size.bytes)} once it is compiled, more than the ${formatKib(maxBytes)} of one expression`,
      remedy: 'repeat less often, or use fewer classes',
    };
  }
  try {
    new RE2Set(RE2Set.ANCHOR_BOTH).add(size.product > MAX_PRODUCT ? text : withFewRepetitions(text));
    return { type: 'regex', bytes: size.bytes };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    return {
      type: 'error',
      message: `is not a regular expression: ${reason}`,
      remedy: 'use RE2 syntax, which has no look-around and no back references',
    };
  }
}

/**
 * Reduces the counts of repetitions. The result is valid if and only if the expression is valid. re2js expands repetitions
 * when it parses, which takes milliseconds for thousands of copies, and sources read many specs at once.
 */
function withFewRepetitions(text: string): string {
  return text.replace(/(?<!\\x)\{(\d{1,4})(,(\d{0,4}))?\}/g, (whole, low: string, comma?: string, high = '') => {
    const [least, most] = [Number(low), Number(high === '' ? low : high)];
    // Numbers that RE2 rejects, or does not parse as numbers, stay as they are.
    const isOdd = least > most || most > MAX_PRODUCT || String(least) !== low || (high !== '' && String(most) !== high);
    if (isOdd) return whole;
    const few = `{${Math.min(least, 2)}`;
    return comma === undefined ? `${few}}` : `${few},${high === '' ? '' : Math.min(most, 3)}}`;
  });
}

/** Maximum cached checks: a few MiB. */
const MAX_KEPT = 4096;

/**
 * Makes a `checkRegex` that caches its last results. Parsing an expression takes most of the time of reading a rule, and a spec
 * is read again at its admission, from its source, and whenever one of its rules changes.
 */
export function createCheckMemo(check: CheckRegex = checkRegex): CheckRegex {
  // Two generations: when the younger is full, it replaces the older. Moving each used entry to the end of a single Map
  // would make V8 copy the Map again and again, which lengthens the pauses of the garbage collector.
  let younger = new Map<string, RegexCheck>();
  let older = new Map<string, RegexCheck>();
  return (text) => {
    const known = younger.get(text);
    if (known !== undefined) return known;
    const result = older.get(text) ?? check(text);
    if (younger.size >= MAX_KEPT / 2) {
      older = younger;
      younger = new Map();
    }
    // A longer text exceeds every limit, and its rejection is not worth caching.
    if (text.length <= MAX_KEPT) younger.set(text, result);
    return result;
  };
}
