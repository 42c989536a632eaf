import { parseDuration } from '../../../base/parse-duration.js';
import type { HttpDestinationSpec } from '../../../config/networking/virtual-service-destination.js';
import type { HttpRouteSpec } from '../../../config/networking/virtual-service-http.js';
import type { HashKey } from '../cluster-policy.js';
import type { Forward, HttpAction, Redirect, WeightedDestination } from '../http-action.js';
import { EVERY_REQUEST, type HttpMatch } from '../http-match.js';
import type { HttpRoute } from '../http-route.js';
import { holdsAt, type RoutePlace } from './caller.js';
import { type BoundVirtualService, resolveDestination } from './destinations.js';
import { isCatchAll, translateHttpMatch } from './http-conditions.js';
import { shareOf, translateCors, translateFault, translateHeaders, translateRetries } from './http-extras.js';

/**
 * The routes of an object at one place, each condition one route. Empty if the object has no routes for the place.
 *
 * @param timeoutMs of routes without a timeout of their own, 0 for none
 */
export function translateHttpRoutes(
  bound: BoundVirtualService,
  place: RoutePlace,
  timeoutMs: number,
): readonly HttpRoute[] {
  const routes: HttpRoute[] = [];
  for (const spec of bound.virtualService.http) {
    const translated = translateRoute(spec, bound, place, timeoutMs);
    for (const route of translated) {
      routes.push(route);
      // No request gets beyond it.
      if (isCatchAll(route.match)) return routes;
    }
  }
  return routes;
}

function translateRoute(
  spec: HttpRouteSpec,
  bound: BoundVirtualService,
  place: RoutePlace,
  timeoutMs: number,
): readonly HttpRoute[] {
  const conditions = conditionsAt(spec, place);
  if (conditions.length === 0) return [];
  const action = actionOf(spec, bound, place.port, timeoutMs);
  if (action === undefined) return [];
  const headers = translateHeaders(spec.headers);
  const { fault, corsPolicy } = spec;
  const shared = {
    action,
    ...(headers === undefined ? {} : { headers }),
    ...(fault === undefined ? {} : { fault: translateFault(fault) }),
    ...(corsPolicy === undefined ? {} : { cors: translateCors(corsPolicy) }),
  };
  return conditions.map(({ name, match }) => ({
    name,
    match,
    ...shared,
    operation: operationOf(match, action, bound.virtualService.name, place.port),
  }));
}

function conditionsAt(
  { name = '', match }: HttpRouteSpec,
  place: RoutePlace,
): readonly { readonly name: string; readonly match: HttpMatch }[] {
  if (match === undefined || match.length === 0) return [{ name, match: EVERY_REQUEST }];
  return match
    .filter((condition) => holdsAt(condition, place))
    .map((condition) => ({
      name: condition.name === undefined ? name : `${name}.${condition.name}`,
      match: translateHttpMatch(condition),
    }));
}

/** Undefined for a route whose delegate is missing. */
function actionOf(
  spec: HttpRouteSpec,
  bound: BoundVirtualService,
  port: number,
  timeoutMs: number,
): HttpAction | undefined {
  if (spec.redirect !== undefined) return redirectOf(spec.redirect);
  return spec.route === undefined ? undefined : forwardOf(spec, spec.route, bound, port, timeoutMs);
}

function redirectOf({ uri = '', authority = '', redirectCode = 0 }: NonNullable<HttpRouteSpec['redirect']>): Redirect {
  return {
    type: 'redirect',
    status: (redirectCode === 0 ? 301 : redirectCode) as Redirect['status'],
    ...(uri === '' ? {} : { path: uri }),
    ...(authority === '' ? {} : { authority }),
  };
}

function forwardOf(
  spec: HttpRouteSpec,
  destinations: readonly HttpDestinationSpec[],
  bound: BoundVirtualService,
  port: number,
  timeoutMs: number,
): Forward {
  const { timeout, retries, rewrite, mirror, mirrorPercent, mirrorPercentage } = spec;
  let hashKey: HashKey | undefined;
  const weighted = destinations.map(({ destination, weight = 0, headers }): WeightedDestination => {
    const resolved = resolveDestination(destination, port, bound.clustersOf(destination.host));
    hashKey ??= resolved.hashKey;
    const changes = translateHeaders(headers);
    return {
      ...resolved.destination,
      weight: destinations.length === 1 ? 1 : weight,
      ...(changes === undefined ? {} : { headers: changes }),
    };
  });
  const policy = translateRetries(retries);
  const { uri = '', authority = '' } = rewrite ?? {};
  const mirrored = mirror && resolveDestination(mirror, port, bound.clustersOf(mirror.host)).destination;
  return {
    type: 'forward',
    destinations: weighted,
    timeoutMs: timeout === undefined ? timeoutMs : parseDuration(timeout),
    ...(policy === undefined ? {} : { retries: policy }),
    ...(mirrored === undefined
      ? {}
      : { mirrors: [{ destination: mirrored, percent: shareOf(mirrorPercentage, mirrorPercent) }] }),
    ...(rewrite === undefined
      ? {}
      : { rewrite: { ...(uri === '' ? {} : { path: uri }), ...(authority === '' ? {} : { authority }) } }),
    ...(hashKey === undefined ? {} : { hashKey }),
  };
}

/** The name of the spans of a route: its only destination, or the object where there are several. */
function operationOf({ path }: HttpMatch, action: HttpAction, name: string, port: number): string {
  const [only, ...others] = action.type === 'forward' ? action.destinations : [];
  const target = only === undefined || others.length > 0 ? `${name}:${port}` : `${only.hostname}:${only.port}`;
  return `${target}${path.value}${path.type === 'prefix' ? '*' : ''}`;
}
