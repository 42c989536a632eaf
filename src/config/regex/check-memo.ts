import { type CheckRegex, checkRegex, type RegexCheck } from './check-regex.js';

/** Checks that are kept, at the very most: a few MiB. */
const MAX_KEPT = 4096;

/**
 * Checks regular expressions like `checkRegex`, and keeps the results of the last ones: parsing one takes longer than
 * all else about a rule, and a spec is read again at its admission, from its source, and whenever a rule of it changes.
 */
export function createCheckMemo(check: CheckRegex = checkRegex): CheckRegex {
  // Two generations, the older of which is dropped when the younger is full: to move each one that is used to the end
  // of a single Map has the engine copy all of it again and again, which shows in the pauses of the garbage collector.
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
    // A text beyond any limit would be kept for its refusal alone.
    if (text.length <= MAX_KEPT) younger.set(text, result);
    return result;
  };
}
