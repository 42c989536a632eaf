import { compileRegex } from '../../../config/policy/regex.js';
import type { MatchesRegex } from './string-matches-overlap.js';

/** Compiles each regular expression once, for one analysis. */
export function createRegexMemo(): MatchesRegex {
  const compiled = new Map<string, (text: string) => boolean>();
  return (regex, text) => {
    const matches = compiled.get(regex) ?? compileRegex(regex);
    compiled.set(regex, matches);
    return matches(text);
  };
}
