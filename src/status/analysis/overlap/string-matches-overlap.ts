import type { StringMatchSpec } from '../../../config/policy/string-match.js';

/** Full match of a text by a regular expression in RE2 syntax. */
export type MatchesRegex = (regex: string, text: string) => boolean;

/**
 * Whether a text certainly satisfies both. This is not decided for two regular expressions, or for one and a prefix:
 * they count as disjoint unless they are equal, because a false alarm is worse than a missed overlap.
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
