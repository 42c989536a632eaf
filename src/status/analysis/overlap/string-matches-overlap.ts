import type { StringMatchSpec } from '../../../config/policy/string-match.js';

/** Full match of a text by a regular expression in RE2 syntax. */
export type MatchesRegex = (regex: string, text: string) => boolean;

/**
 * Whether some text surely satisfies both. Of two regular expressions, or one and a prefix, that is not decided:
 * they count as apart unless they are the same, for a false alarm is worse than a missed one.
 */
export function stringMatchesOverlap(first: StringMatchSpec, second: StringMatchSpec, matches: MatchesRegex): boolean {
  if (first.exact !== undefined) return isSatisfied(second, first.exact, matches);
  if (second.exact !== undefined) return isSatisfied(first, second.exact, matches);
  if (first.prefix !== undefined && second.prefix !== undefined) {
    return first.prefix.startsWith(second.prefix) || second.prefix.startsWith(first.prefix);
  }
  return first.regex !== undefined && first.regex === second.regex;
}

function isSatisfied({ exact, prefix, regex }: StringMatchSpec, text: string, matches: MatchesRegex): boolean {
  if (exact !== undefined) return exact === text;
  if (prefix !== undefined) return text.startsWith(prefix);
  return regex !== undefined && matches(regex, text);
}
