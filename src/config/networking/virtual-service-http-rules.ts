import { validateDuration } from '../duration-rules.js';
import type { ObjectRegexes } from '../policy/object-regexes.js';
import { isDnsLabel, isObjectName } from '../primitives.js';
import type { Violation } from '../violation.js';
import { isHeaderText, validateHeaders } from './header-rules.js';
import { validateCors } from './virtual-service-cors-rules.js';
import { validateDestination, validateWeights } from './virtual-service-destination-rules.js';
import { validateFault } from './virtual-service-fault-rules.js';
import type { HttpRouteSpec } from './virtual-service-http.js';
import { validateHttpMatches } from './virtual-service-match-rules.js';
import { validateRetries } from './virtual-service-retry-rules.js';

/** @param isDelegate whether the object has no hosts */
export function* validateHttpRoutes(
  routes: readonly HttpRouteSpec[],
  isDelegate: boolean,
  regexes: ObjectRegexes,
): Iterable<Violation> {
  for (const [index, route] of routes.entries()) {
    const path = `http[${index}]`;
    yield* validateAction(path, route, isDelegate);
    yield* validateHttpMatches(`${path}.match`, route, regexes);
    for (const [at, { destination, headers }] of (route.route ?? []).entries()) {
      yield* validateDestination(`${path}.route[${at}].destination`, destination);
      yield* validateHeaders(`${path}.route[${at}].headers`, headers);
    }
    yield* validateWeights(`${path}.route`, route.route ?? []);
    yield* validateDuration(`${path}.timeout`, route.timeout);
    yield* validateRetries(`${path}.retries`, route.retries);
    yield* validateFault(`${path}.fault`, route.fault);
    if (route.mirror !== undefined) yield* validateDestination(`${path}.mirror`, route.mirror);
    else yield* validateMirrorShare(path, route);
    yield* validateCors(`${path}.corsPolicy`, route.corsPolicy, regexes);
    yield* validateHeaders(`${path}.headers`, route.headers);
  }
}

function* validateAction(path: string, route: HttpRouteSpec, isDelegate: boolean): Iterable<Violation> {
  const { route: destinations, redirect, delegate, rewrite, fault } = route;
  const set = Object.entries({ route: destinations, redirect, delegate }).filter(([, value]) => value !== undefined);
  const names = set.map(([name]) => name);
  if (names.length === 0) {
    yield { path, value: route, message: 'has no destination', remedy: 'set route or redirect' };
  } else if (names.length > 1) {
    const remedy = `keep one of ${names.join(' and ')}`;
    yield { path, value: route, message: `sets ${names.join(' and ')} together`, remedy };
  }
  if (delegate !== undefined) yield* validateDelegation(path, delegate, isDelegate);
  if (rewrite !== undefined) yield* validateRewrite(path, rewrite);
  if (redirect === undefined) return;
  yield* validateRedirect(`${path}.redirect`, redirect);
  const remedy = 'remove it, or the redirect';
  if (fault !== undefined) {
    yield { path: `${path}.fault`, value: fault, message: 'is set beside a redirect', remedy };
  }
  if (rewrite !== undefined) {
    yield { path: `${path}.rewrite`, value: rewrite, message: 'is set beside a redirect', remedy };
  }
}

function* validateDelegation(
  path: string,
  { name, namespace }: NonNullable<HttpRouteSpec['delegate']>,
  isDelegate: boolean,
): Iterable<Violation> {
  if (isDelegate) {
    yield {
      path: `${path}.delegate`,
      value: name,
      message: 'is set in an object without hosts, which is a delegate itself',
      remedy: 'set route or redirect',
    };
  }
  if (!isObjectName(name)) {
    const remedy = 'use the name of a VirtualService';
    yield { path: `${path}.delegate.name`, value: name, message: 'is not the name of an object', remedy };
  }
  if (namespace !== undefined && namespace !== '' && !isDnsLabel(namespace)) {
    const remedy = 'use at most 63 letters, digits and hyphens';
    yield { path: `${path}.delegate.namespace`, value: namespace, message: 'is not a namespace', remedy };
  }
}

/** The redirects that Envoy can make. */
const REDIRECT_CODES: readonly number[] = [301, 302, 303, 307, 308];

function* validateRedirect(path: string, redirect: NonNullable<HttpRouteSpec['redirect']>): Iterable<Violation> {
  const { uri = '', authority = '', redirectCode = 301 } = redirect;
  if (uri === '' && authority === '') {
    yield { path, value: redirect, message: 'leads to where the request was going', remedy: 'set uri or authority' };
  }
  if (redirectCode !== 0 && !REDIRECT_CODES.includes(redirectCode)) {
    yield {
      path: `${path}.redirectCode`,
      value: redirectCode,
      message: 'is not the status of a redirect',
      remedy: `use one of ${REDIRECT_CODES.join(', ')}`,
    };
  }
  yield* validateText(`${path}.uri`, uri);
  yield* validateText(`${path}.authority`, authority);
}

function* validateRewrite(path: string, rewrite: NonNullable<HttpRouteSpec['rewrite']>): Iterable<Violation> {
  const { uri = '', authority = '' } = rewrite;
  if (uri === '' && authority === '') {
    yield { path: `${path}.rewrite`, value: rewrite, message: 'changes nothing', remedy: 'set uri or authority' };
  }
  yield* validateText(`${path}.rewrite.uri`, uri);
  yield* validateText(`${path}.rewrite.authority`, authority);
}

function* validateText(path: string, text: string): Iterable<Violation> {
  if (isHeaderText(text)) return;
  yield { path, value: text, message: 'has control characters', remedy: 'remove them, or encode them in the URI' };
}

function* validateMirrorShare(path: string, { mirrorPercent, mirrorPercentage }: HttpRouteSpec): Iterable<Violation> {
  const [field, value] =
    mirrorPercentage === undefined ? ['mirrorPercent', mirrorPercent] : ['mirrorPercentage', mirrorPercentage];
  if (value === undefined) return;
  yield { path: `${path}.${field}`, value, message: 'is set without mirror', remedy: 'set mirror, or remove it' };
}
