import { decodePercent, normalizeEscapes } from './percent-text.js';

/** The path of a request target: everything before the query and the fragment. */
export function urlPathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/** The query of a request target without its question mark; empty without a query. */
export function queryOf(target: string): string {
  const fragment = target.indexOf('#');
  const end = fragment === -1 ? target.length : fragment;
  const start = target.indexOf('?');
  return start === -1 || start > end ? '' : target.slice(start + 1, end);
}

/**
 * The parts of a path between slashes, with normalized escapes and without empty parts at the end
 * (docs/reference/policy-kinds.md#uri-templates). Empty for `/`. Undefined for a target that is not a path, such as `*`
 * or the authority of a CONNECT.
 */
export function segmentsOf(target: string): string[] | undefined {
  if (!target.startsWith('/')) return undefined;
  const path = normalizeEscapes(urlPathOf(target));
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === 0x2f) end--;
  return end === 0 ? [] : path.slice(1, end).split('/');
}

/** The query as a map, decoded; of a parameter that comes several times, the first value. */
export function queryParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const { name, value } of queryPairs(query)) {
    if (!parameters.has(name)) parameters.set(name, decodePercent(value));
  }
  return parameters;
}

/** The first value of a query parameter that is not empty, decoded. */
export function firstQueryValue(query: string, name: string): string | undefined {
  const pair = queryPairs(query).find((candidate) => candidate.name === name && candidate.value !== '');
  return pair && decodePercent(pair.value);
}

/** The parameters of a query in their order: names decoded, values as they stand. */
export function queryPairs(query: string): readonly { readonly name: string; readonly value: string }[] {
  if (query === '') return [];
  const pairs: { readonly name: string; readonly value: string }[] = [];
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodePercent(equals === -1 ? pair : pair.slice(0, equals));
    pairs.push({ name, value: equals === -1 ? '' : pair.slice(equals + 1) });
  }
  return pairs;
}
