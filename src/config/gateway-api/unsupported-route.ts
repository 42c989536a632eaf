import { DurationSyntaxError, parseDuration } from '../../base/parse-duration.js';
import { validateEnvoyRegex } from '../networking/envoy-regex.js';
import { isHeaderName, isHeaderText } from '../networking/header-rules.js';
import type { ObjectRegexes } from '../policy/object-regexes.js';
import type { Violation } from '../violation.js';
import type { HttpRouteMatchSpec, HttpRouteRule, HttpRouteSpec } from './http-route.js';
import { findUnsupportedFilters } from './unsupported-filters.js';

/** Conditions of a route over all rules, as the CRD limits them. */
const MAX_MATCHES = 128;

/**
 * Finds the fields of an HTTPRoute that have no effect here, or that Envoy would reject with its whole route table. A route
 * with one is not accepted.
 *
 * @param checkRegex limits the sum of the expressions of the route
 */
export function findUnsupported(spec: HttpRouteSpec, checkRegex: ObjectRegexes): readonly Violation[] {
  return [...unsupportedFields(spec, checkRegex)];
}

function* unsupportedFields(spec: HttpRouteSpec, checkRegex: ObjectRegexes): Generator<Violation> {
  if (spec.useDefaultGateways !== undefined) yield unread('useDefaultGateways', 'name the Gateways in parentRefs');
  const matches = spec.rules.reduce((sum, rule) => sum + Math.max(1, rule.matches.length), 0);
  if (matches > MAX_MATCHES) {
    const message = `has more than ${MAX_MATCHES} matches over all rules`;
    yield { path: 'rules', value: matches, message, remedy: 'spread the rules over several routes' };
  }
  for (const [index, rule] of spec.rules.entries()) yield* unsupportedInRule(`rules[${index}]`, rule, checkRegex);
}

function* unsupportedInRule(path: string, rule: HttpRouteRule, checkRegex: ObjectRegexes): Generator<Violation> {
  const { matches, filters, backendRefs, timeouts, retry, sessionPersistence } = rule;
  for (const [index, match] of matches.entries()) {
    yield* unsupportedInMatch(`${path}.matches[${index}]`, match, checkRegex);
  }
  const hasOnlyPrefixes = matches.every((match) => match.path.type === 'PathPrefix');
  yield* findUnsupportedFilters(`${path}.filters`, filters, { place: 'rule', hasOnlyPrefixes });
  for (const [index, backend] of backendRefs.entries()) {
    const at = `${path}.backendRefs[${index}].filters`;
    yield* findUnsupportedFilters(at, backend.filters, { place: 'backend', hasOnlyPrefixes });
  }
  yield* unsupportedTimeout(`${path}.timeouts.request`, timeouts?.request);
  yield* unsupportedTimeout(`${path}.timeouts.backendRequest`, timeouts?.backendRequest);
  if (retry !== undefined) yield unread(`${path}.retry`, 'remove it; connections that fail are retried');
  if (sessionPersistence !== undefined) {
    yield unread(`${path}.sessionPersistence`, 'set consistentHash in a DestinationRule for the Service');
  }
}

function* unsupportedInMatch(
  path: string,
  { path: { type, value }, headers, queryParams }: HttpRouteMatchSpec,
  checkRegex: ObjectRegexes,
): Generator<Violation> {
  switch (type) {
    case 'RegularExpression':
      yield* unsupportedRegex(`${path}.path.value`, value, checkRegex);
      break;
    case 'Exact':
    case 'PathPrefix':
      if (!isPath(value)) {
        const message = 'is not a path';
        yield { path: `${path}.path.value`, value, message, remedy: 'start it with / and leave out ? and #' };
      }
      break;
    default:
      yield unknownType(`${path}.path.type`, type, 'Exact, PathPrefix or RegularExpression');
  }
  for (const [field, values] of [
    ['headers', headers],
    ['queryParams', queryParams],
  ] as const) {
    for (const [index, each] of values.entries()) {
      const at = `${path}.${field}[${index}]`;
      if (each.type === 'RegularExpression') yield* unsupportedRegex(`${at}.value`, each.value, checkRegex);
      else if (each.type !== 'Exact') yield unknownType(`${at}.type`, each.type, 'Exact or RegularExpression');
      if (field === 'headers' && !isHeaderName(each.name)) {
        yield { path: `${at}.name`, value: each.name, message: 'is not the name of a header', remedy: 'use x-version' };
      }
    }
  }
}

function* unsupportedRegex(path: string, text: string, checkRegex: ObjectRegexes): Generator<Violation> {
  yield* checkRegex(path, text);
  yield* validateEnvoyRegex(path, text);
}

function isPath(text: string): boolean {
  return text.startsWith('/') && !/[?#]/.test(text) && isHeaderText(text);
}

function* unsupportedTimeout(path: string, text: string | undefined): Generator<Violation> {
  if (text === undefined) return;
  try {
    if (parseDuration(text) >= 0) return;
  } catch (error) {
    if (!(error instanceof DurationSyntaxError)) throw error;
  }
  yield { path, value: text, message: 'is not a duration', remedy: 'use for example 10s or 500ms' };
}

function unread(path: string, remedy: string): Violation {
  return { path, message: 'has no effect in this mesh', remedy };
}

function unknownType(path: string, value: string, known: string): Violation {
  return { path, value, message: 'is not a type that this mesh supports', remedy: `use ${known}` };
}
