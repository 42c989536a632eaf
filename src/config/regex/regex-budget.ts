import { type CheckRegex, checkRegex, type RegexCheck } from './check-regex.js';
import { formatKib } from './regex-limits.js';

export interface RegexBudgetOptions {
  readonly maxBytes: number;
  /** The owner of the budget in messages, such as `of one service`. */
  readonly scope: string;
  readonly remedy: string;
  /** Default: `checkRegex`, which caches nothing. */
  readonly check?: CheckRegex;
}

/**
 * Checks expressions, and rejects new expressions after their sum has exceeded a limit. Equal expressions count once,
 * because they share a program.
 */
export function createRegexBudget(options: RegexBudgetOptions): CheckRegex {
  const { maxBytes, scope, remedy, check = checkRegex } = options;
  const results = new Map<string, RegexCheck>();
  let sum = 0;
  const decide = (text: string): RegexCheck => {
    const checked = check(text);
    if (checked.type === 'error') return checked;
    sum += checked.bytes;
    if (sum <= maxBytes) return checked;
    return {
      type: 'error',
      message: `brings the regular expressions ${scope} to ${formatKib(sum)} once they are compiled, more than their ${formatKib(maxBytes)}`,
      remedy,
      isSum: true,
    };
  };
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = decide(text);
    results.set(text, result);
    return result;
  };
}
