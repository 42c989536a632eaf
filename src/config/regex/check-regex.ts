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

/** Checks one expression. */
export type CheckRegex = (text: string) => RegexCheck;

/**
 * Whether RE2 takes an expression, and what it costs (DESIGN 4: never a backtracking matcher). An expression beyond the
 * limit is not parsed. Never throws; takes a few milliseconds at most.
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
    new RE2Set(RE2Set.ANCHOR_BOTH).add(text);
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
