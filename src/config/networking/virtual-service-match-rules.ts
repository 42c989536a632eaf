import type { ObjectRegexes } from '../policy/object-regexes.js';
import { childPath, type Violation } from '../violation.js';
import { validateEnvoyRegex } from './envoy-regex.js';
import { isHeaderName, isHeaderText } from './header-rules.js';
import { validateCaller } from './virtual-service-caller-rules.js';
import type { HttpRouteSpec } from './virtual-service-http.js';
import type { HttpMatchSpec } from './virtual-service-match.js';

type ValueMatch = NonNullable<HttpMatchSpec['headers']>[string];

/** @param path of the list of conditions */
export function* validateHttpMatches(
  path: string,
  { match = [], delegate }: HttpRouteSpec,
  regexes: ObjectRegexes,
): Iterable<Violation> {
  for (const [index, condition] of match.entries()) {
    const at = `${path}[${index}]`;
    yield* validateCaller(at, condition);
    for (const [field, value] of texts(condition)) {
      yield* validateText(`${at}.${field}`, value, regexes);
      if (delegate === undefined || value.regex === undefined) continue;
      yield {
        path: `${at}.${field}.regex`,
        value: value.regex,
        message: 'is set in a route with a delegate, whose conditions it cannot be combined with',
        remedy: 'use exact or prefix, or write the condition in the delegate',
      };
    }
    for (const list of ['headers', 'withoutHeaders'] as const) {
      for (const name of Object.keys(condition[list] ?? {})) {
        if (isHeaderName(name.replace(/^:/, ''))) continue;
        const remedy = 'use for example x-user, in lower case';
        yield { path: childPath(`${at}.${list}`, name), message: 'is not the name of a header', remedy };
      }
    }
    for (const name of Object.keys(condition.queryParams ?? {})) {
      if (name !== '' && isHeaderText(name)) continue;
      const remedy = 'use the name of a parameter';
      yield { path: childPath(`${at}.queryParams`, name), message: 'is not the name of a query parameter', remedy };
    }
  }
}

/** All comparisons of a condition, with their fields. */
function* texts(condition: HttpMatchSpec): Iterable<readonly [string, ValueMatch]> {
  for (const field of ['uri', 'scheme', 'method', 'authority'] as const) {
    const value = condition[field];
    if (value !== undefined) yield [field, value];
  }
  for (const field of ['headers', 'withoutHeaders', 'queryParams'] as const) {
    for (const [name, value] of Object.entries(condition[field] ?? {})) yield [childPath(field, name), value];
  }
}

function* validateText(path: string, value: ValueMatch, regexes: ObjectRegexes): Iterable<Violation> {
  yield* regexes(`${path}.regex`, value.regex);
  yield* validateEnvoyRegex(`${path}.regex`, value.regex);
  const forms = Object.keys(value).filter((form) => value[form as keyof ValueMatch] !== undefined);
  if (forms.length > 1) {
    yield { path, value, message: `sets ${forms.join(' and ')} together`, remedy: 'keep one of them' };
  }
  for (const form of ['exact', 'prefix', 'regex'] as const) {
    const text = value[form];
    if (text === undefined || isHeaderText(text)) continue;
    yield {
      path: `${path}.${form}`,
      value: text,
      message: 'has control characters, so it would match no request',
      remedy: 'remove them',
    };
  }
}
