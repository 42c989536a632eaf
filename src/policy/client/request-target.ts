import { decodePercent, normalizeEscapes } from './percent-text.js';

/** The path of a request target: everything before the query and the fragment. */
export function urlPathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/** The query of a request target without its question mark; empty when there is none. */
export function queryOf(target: string): string {
  const fragment = target.indexOf('#');
  const end = fragment === -1 ? target.length : fragment;
  const start = target.indexOf('?');
  return start === -1 || start > end ? '' : target.slice(start + 1, end);
}

/**
 * The parts of a path between slashes, without the empty ones at its end (BEHAVIOUR 6, "API spec"), escapes normalized:
 * none for `/`.
 * Undefined for a target that is no path, such as `*` or the authority of a CONNECT.
 */
export function segmentsOf(target: string): string[] | undefined {
  if (!target.startsWith('/')) return undefined;
  const path = normalizeEscapes(urlPathOf(target));
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === 0x2f) end--;
  return end === 0 ? [] : path.slice(1, end).split('/');
}

/** All values of one query parameter, decoded, in the order in which they come. */
export function* queryValues(query: string, name: string): IterableIterator<string> {
  for (const [candidate, value] of queryPairs(query)) {
    if (decodePercent(candidate) === name) yield decodePercent(value);
  }
}

/** The query as a map, decoded; of a parameter that comes several times, the first value. */
export function queryParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [encodedName, value] of queryPairs(query)) {
    const name = decodePercent(encodedName);
    if (!parameters.has(name)) parameters.set(name, decodePercent(value));
  }
  return parameters;
}

/** Names and values as they stand in the query. */
export function* queryPairs(query: string): IterableIterator<readonly [string, string]> {
  if (query === '') return;
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    if (equals === -1) {
      if (pair !== '') yield [pair, ''];
    } else yield [pair.slice(0, equals), pair.slice(equals + 1)];
  }
}
