import type { HttpMatch, PathMatch } from '../../traffic/http-match.js';

/** Exact paths come first, then expressions, then prefixes. */
const PATH_RANKS: Readonly<Record<PathMatch['type'], number>> = { exact: 0, regex: 1, segments: 2, prefix: 2 };

/**
 * The order in which the matches of all routes are tried: by the path, the longest first, then by method, by the number of
 * headers and by the number of query parameters. Equal matches keep their order, which is the age of their routes.
 */
export function compareMatches(first: HttpMatch, second: HttpMatch): number {
  return (
    PATH_RANKS[first.path.type] - PATH_RANKS[second.path.type] ||
    second.path.value.length - first.path.value.length ||
    Number(second.method !== undefined) - Number(first.method !== undefined) ||
    (second.headers?.length ?? 0) - (first.headers?.length ?? 0) ||
    (second.queryParameters?.length ?? 0) - (first.queryParameters?.length ?? 0)
  );
}
