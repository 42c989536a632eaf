import type { HttpMatchSpec, TextMatchSpec } from '../../../config/networking/virtual-service-match.js';
import { EVERY_REQUEST, type HeaderMatch, type HttpMatch, type NamedMatch, type StringMatch } from '../http-match.js';

/** The part of a condition that proxies compare. */
export function translateHttpMatch(condition: HttpMatchSpec): HttpMatch {
  const { uri, scheme, method, authority, headers, withoutHeaders, queryParams, ignoreUriCase } = condition;
  const path = textOf(uri) ?? EVERY_REQUEST.path;
  const headerMatches: HeaderMatch[] = [
    ...namedMatches(headers),
    ...namedMatches(withoutHeaders).map((match) => ({ ...match, isNegated: true as const })),
  ];
  const [schemeMatch, methodMatch, authorityMatch] = [textOf(scheme), textOf(method), textOf(authority)];
  const queryParameters = namedMatches(queryParams);
  return {
    path: ignoreUriCase === true && path.type !== 'regex' ? { ...path, ignoreCase: true } : path,
    ...(schemeMatch === undefined ? {} : { scheme: schemeMatch }),
    ...(methodMatch === undefined ? {} : { method: methodMatch }),
    ...(authorityMatch === undefined ? {} : { authority: authorityMatch }),
    ...(headerMatches.length === 0 ? {} : { headers: headerMatches }),
    ...(queryParameters.length === 0 ? {} : { queryParameters }),
  };
}

/** Whether every request matches. */
export function isCatchAll({ path, ...conditions }: HttpMatch): boolean {
  return path.type === 'prefix' && path.value === '/' && Object.keys(conditions).length === 0;
}

export function textOf(match: TextMatchSpec | undefined): StringMatch | undefined {
  if (match?.exact !== undefined) return { type: 'exact', value: match.exact };
  if (match?.prefix !== undefined) return { type: 'prefix', value: match.prefix };
  return match?.regex === undefined ? undefined : { type: 'regex', value: match.regex };
}

/** Sorted by name, so that the order in the object makes no difference. */
function namedMatches(matches: HttpMatchSpec['headers'] = {}): NamedMatch[] {
  return Object.entries(matches)
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .map(([name, match]) => {
      const value = textOf(match);
      return value === undefined ? { name } : { name, value };
    });
}
