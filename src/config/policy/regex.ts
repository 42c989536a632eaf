import { RE2JS, RE2JSException } from 're2js';

export type RegexCheck =
  | {
      readonly type: 'regex';
      /** Instructions of the compiled program: what a match costs per character. */
      readonly size: number;
    }
  | { readonly type: 'error'; readonly message: string; readonly remedy: string };

/** Instructions that one expression may have; an ordinary one has fewer than a hundred. */
const MAX_SIZE = 5000;
/** Sum of counted repetitions, looked at before compiling, which takes time in proportion to them. */
const MAX_REPETITIONS = 2000;

/** Whether RE2 takes a regular expression, and what it costs (DESIGN 4: never a backtracking matcher). Never throws. */
export function checkRegex(text: string): RegexCheck {
  if (countRepetitions(text) > MAX_REPETITIONS) return tooLarge();
  try {
    const size = RE2JS.compile(text).programSize();
    return size > MAX_SIZE ? tooLarge() : { type: 'regex', size };
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

function countRepetitions(text: string): number {
  let sum = 0;
  for (const [, low, high] of text.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)) {
    sum += Math.max(Number(low), Number(high ?? 0));
  }
  return sum;
}

function tooLarge(): RegexCheck {
  return { type: 'error', message: 'is too large once its repetitions are written out', remedy: 'repeat less' };
}

/**
 * Compiles a regular expression that `checkRegex` has accepted, into a match of whole texts.
 *
 * @throws RE2JSException for one that it refuses
 */
export function compileRegex(regex: string): (text: string) => boolean {
  const compiled = RE2JS.compile(regex);
  return (text) => compiled.testExact(text);
}
