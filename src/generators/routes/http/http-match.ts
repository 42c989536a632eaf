import { regexMatcher } from '../../../envoy/regex-matcher.js';
import { stringMatcher } from '../../../envoy/string-matcher.js';
import type { HeaderMatcher } from '../../../generated/envoy/config/route/v3/HeaderMatcher.js';
import type { QueryParameterMatcher } from '../../../generated/envoy/config/route/v3/QueryParameterMatcher.js';
import type { RouteMatch } from '../../../generated/envoy/config/route/v3/RouteMatch.js';
import type { HeaderMatch, HttpMatch, NamedMatch, PathMatch, StringMatch } from '../../../model/traffic/http-match.js';

/** The condition of a route. Envoy has scheme, method and authority as pseudo headers. */
export function buildHttpMatch({ path, scheme, method, authority, headers, queryParameters }: HttpMatch): RouteMatch {
  const matchers = [
    ...pseudoHeader(':scheme', scheme),
    ...pseudoHeader(':method', method),
    ...pseudoHeader(':authority', authority),
    ...(headers ?? []).map(headerMatcher),
  ];
  return {
    ...pathFields(path),
    ...(matchers.length === 0 ? {} : { headers: matchers }),
    ...(queryParameters === undefined ? {} : { queryParameters: queryParameters.map(queryParameterMatcher) }),
  };
}

function pathFields({ type, value, ignoreCase }: PathMatch): RouteMatch {
  if (type === 'regex') return { safeRegex: regexMatcher(value) };
  const path =
    type === 'exact' ? { path: value } : type === 'segments' ? { pathSeparatedPrefix: value } : { prefix: value };
  return ignoreCase === true ? { ...path, caseSensitive: { value: false } } : path;
}

function pseudoHeader(name: string, value: StringMatch | undefined): HeaderMatcher[] {
  return value === undefined ? [] : [{ name, stringMatch: stringMatcher(value) }];
}

function headerMatcher({ name, value, isNegated }: HeaderMatch): HeaderMatcher {
  return {
    name,
    ...(value === undefined ? { presentMatch: true } : { stringMatch: stringMatcher(value) }),
    ...(isNegated === true ? { invertMatch: true } : {}),
  };
}

function queryParameterMatcher({ name, value }: NamedMatch): QueryParameterMatcher {
  return { name, ...(value === undefined ? { presentMatch: true } : { stringMatch: stringMatcher(value) }) };
}
