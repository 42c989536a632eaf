import { RE2JSException, RE2Set } from 're2js';
import { DEFAULT_REGEX_LIMITS, formatKib } from './regex-limits.js';
import { regexSize } from './regex-size.js';

export type RegexCheck =
  | {
      readonly type: 'regex';
      /** Upper bound of what the compiled program takes. */
      readonly bytes: number;
    }
  | {
      readonly type: 'error';
      readonly message: string;
      readonly remedy: string;
      /** Whether the expression itself could be used, but a sum of several is beyond its limit. */
      readonly isSum?: true;
    };

/** What RE2 allows of counted repetitions, also as a product of those inside one another. */
const MAX_PRODUCT = 1000;

/** Checks one expression. */
export type CheckRegex = (text: string) => RegexCheck;

/**
 * Whether RE2 takes an expression, and what it costs (DESIGN 4: never a backtracking matcher). An expression beyond the
 * limit is not parsed. Never throws; takes about as long as its text says, not its repetitions: some ten microseconds.
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
 * The same expression with few copies of what is repeated, valid if and only if it is. re2js writes repetitions out
 * when it parses, which takes milliseconds for thousands of copies; a source reads many specs at a stretch.
 */
function withFewRepetitions(text: string): string {
  return text.replace(/(?<!\\x)\{(\d{1,4})(,(\d{0,4}))?\}/g, (whole, low: string, comma?: string, high = '') => {
    const [least, most] = [Number(low), Number(high === '' ? low : high)];
    // Numbers that RE2 refuses, or does not take for numbers, stay as they are.
    const isOdd = least > most || most > MAX_PRODUCT || String(least) !== low || (high !== '' && String(most) !== high);
    if (isOdd) return whole;
    const few = `{${Math.min(least, 2)}`;
    return comma === undefined ? `${few}}` : `${few},${high === '' ? '' : Math.min(most, 3)}}`;
  });
}
