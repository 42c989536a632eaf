import type { RegexMatcher } from '../generated/envoy/type/matcher/v3/RegexMatcher.js';

/** Envoy's limit for expressions that set none. */
const DEFAULT_PROGRAM_SIZE = 100;
/** RE2 itself compiles at most about 87,000 instructions. */
const MAX_PROGRAM_SIZE = 100_000;

/**
 * An expression that must match all of a text (RE2). Envoy rejects programs above 100 instructions unless the message
 * allows more; the field for it is deprecated and each use is logged, so that only large expressions have it.
 */
export function regexMatcher(regex: string): RegexMatcher {
  return programSizeBound(regex) <= DEFAULT_PROGRAM_SIZE
    ? { regex }
    : { regex, googleRe2: { maxProgramSize: { value: MAX_PROGRAM_SIZE } } };
}

/** No fewer instructions than RE2 makes of the expression: classes of characters become several ranges of bytes. */
function programSizeBound(regex: string): number {
  if (/[{]|\(\?|\\[pPQ]/.test(regex)) return Number.POSITIVE_INFINITY;
  let bound = 5;
  for (const char of regex) {
    if (char === '.' || char === '[' || char === '\\') bound += 14;
    else bound += char > '\u007f' ? 8 : 2;
  }
  return bound;
}
