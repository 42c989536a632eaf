import type { HttpRouteMatchSpec } from '../../../config/gateway-api/http-route.js';
import { EVERY_REQUEST, type HttpMatch, type NamedMatch, type PathMatch } from '../../traffic/http-match.js';

/** The conditions of a match; a rule without matches is for every request. */
export function translateMatches(matches: readonly HttpRouteMatchSpec[]): readonly HttpMatch[] {
  return matches.length === 0 ? [EVERY_REQUEST] : matches.map(translateMatch);
}

function translateMatch({ path, headers, queryParams, method }: HttpRouteMatchSpec): HttpMatch {
  const headerMatches = namedMatches(headers, (name) => name.toLowerCase());
  const queryParameters = namedMatches(queryParams, (name) => name);
  return {
    path: translatePath(path),
    ...(method === undefined || method === '' ? {} : { method: { type: 'exact', value: method } }),
    ...(headerMatches.length === 0 ? {} : { headers: headerMatches }),
    ...(queryParameters.length === 0 ? {} : { queryParameters }),
  };
}

/** A prefix matches whole segments, with or without a slash at its end. */
function translatePath({ type, value }: HttpRouteMatchSpec['path']): PathMatch {
  if (type === 'Exact') return { type: 'exact', value };
  if (type === 'RegularExpression') return { type: 'regex', value };
  const segments = value.replace(/\/+$/, '');
  return segments === '' ? EVERY_REQUEST.path : { type: 'segments', value: segments };
}

/** Of several conditions for one name, the first counts. */
function namedMatches(
  matches: HttpRouteMatchSpec['headers'],
  identityOf: (name: string) => string,
): readonly NamedMatch[] {
  const known = new Set<string>();
  return matches.flatMap(({ type, name, value }): readonly NamedMatch[] => {
    const identity = identityOf(name);
    if (known.has(identity)) return [];
    known.add(identity);
    return [{ name, value: { type: type === 'RegularExpression' ? 'regex' : 'exact', value } }];
  });
}
