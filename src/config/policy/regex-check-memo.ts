import { checkRegex, type RegexCheck } from './regex.js';

/** Checks that are kept: a few MiB at the very most. */
const MAX_KEPT = 4096;

/**
 * Checks regular expressions like `checkRegex`, and keeps what came of the last ones: compiling one takes longer than
 * all else about a rule, and a spec is read again at its admission, from its source, and whenever a rule of it changes.
 */
export function createRegexCheckMemo(check: (text: string) => RegexCheck = checkRegex): (text: string) => RegexCheck {
  // In the order of their last use.
  const kept = new Map<string, RegexCheck>();
  return (text) => {
    const result = kept.get(text) ?? check(text);
    kept.delete(text);
    kept.set(text, result);
    if (kept.size > MAX_KEPT) {
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    }
    return result;
  };
}
