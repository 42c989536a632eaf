import { RE2JS } from 're2js';
import { regexMatcher } from '../../envoy/regex-matcher.js';
import type { HeaderMatcher } from '../../generated/envoy/config/route/v3/HeaderMatcher.js';
import type { RouteMatch } from '../../generated/envoy/config/route/v3/RouteMatch.js';
import type { HeaderMatch, HttpMatch, PathMatch, StringMatch } from '../../model/traffic/http-match.js';

/**
 * The condition of a route. gRPC compares paths and headers of the application only (gRFC A28), so the other conditions
 * are decided here: each call is a POST without query, in the scheme `http`, to the authority that the client dials.
 *
 * @returns undefined for a condition that no call of this client meets
 */
export function buildGrpcMatch(match: HttpMatch, authority: string): RouteMatch | undefined {
  const { path, scheme, method, headers = [], queryParameters = [] } = match;
  const isMet =
    queryParameters.length === 0 &&
    accepts(scheme, 'http') &&
    accepts(method, 'POST') &&
    accepts(match.authority, authority);
  if (!isMet) return undefined;
  return { ...pathFields(path), ...(headers.length === 0 ? {} : { headers: headers.map(headerMatcher) }) };
}

function accepts(match: StringMatch | undefined, text: string): boolean {
  switch (match?.type) {
    case undefined:
      return true;
    case 'exact':
      return match.value === text;
    case 'prefix':
      return text.startsWith(match.value);
    case 'regex':
      return RE2JS.matches(match.value, text);
  }
}

function pathFields({ type, value, ignoreCase }: PathMatch): RouteMatch {
  if (type === 'regex') return { safeRegex: regexMatcher(value) };
  const path = type === 'exact' ? { path: value } : { prefix: value };
  return ignoreCase === true ? { ...path, caseSensitive: { value: false } } : path;
}

/** In the fields that all versions of gRPC read; Envoy has one new field for them. */
function headerMatcher({ name, value, isNegated }: HeaderMatch): HeaderMatcher {
  return { name, ...valueFields(value), ...(isNegated === true ? { invertMatch: true } : {}) };
}

function valueFields(value: StringMatch | undefined): Omit<HeaderMatcher, 'name'> {
  switch (value?.type) {
    case undefined:
      return { presentMatch: true };
    case 'exact':
      return { exactMatch: value.value };
    case 'prefix':
      // gRPC rejects an empty prefix, which any value has.
      return value.value === '' ? { presentMatch: true } : { prefixMatch: value.value };
    case 'regex':
      return { safeRegexMatch: regexMatcher(value.value) };
  }
}
