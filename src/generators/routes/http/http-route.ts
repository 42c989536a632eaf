import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { stringMatcher } from '../../../envoy/string-matcher.js';
import type { RedirectAction } from '../../../generated/envoy/config/route/v3/RedirectAction.js';
import type { Route } from '../../../generated/envoy/config/route/v3/Route.js';
import type { CorsPolicy as EnvoyCorsPolicy } from '../../../generated/envoy/extensions/filters/http/cors/v3/CorsPolicy.js';
import type { Redirect } from '../../../model/traffic/http-action.js';
import type { PathMatch } from '../../../model/traffic/http-match.js';
import type { CorsPolicy, HttpRoute } from '../../../model/traffic/http-route.js';
import type { RouteClusters } from '../../destination-names.js';
import { faultOverride } from './fault-override.js';
import { buildForward, buildPassThrough, segmentsRewrite } from './forward-action.js';
import { buildHeaderChanges } from './header-changes.js';
import { buildHttpMatch } from './http-match.js';

/** A route of the traffic model in the form of Envoy. */
export function buildHttpRoute(encoder: MessageEncoder, route: HttpRoute, clusters: RouteClusters): Route {
  const { name, match, headers, operation } = route;
  return {
    name,
    match: buildHttpMatch(match),
    ...actionFields(encoder, route, clusters),
    ...(headers === undefined ? {} : buildHeaderChanges(headers)),
    ...routeExtras(encoder, route),
    ...(operation === undefined ? {} : { decorator: { operation } }),
  };
}

function actionFields(
  encoder: MessageEncoder,
  { action, match }: HttpRoute,
  clusters: RouteClusters,
): Pick<Route, 'route' | 'redirect' | 'directResponse'> {
  switch (action.type) {
    case 'forward':
      return { route: buildForward(encoder, action, match.path, clusters) };
    case 'passThrough':
      return { route: buildPassThrough(encoder, action, clusters) };
    case 'redirect':
      return { redirect: buildRedirect(action, match.path) };
    case 'respond': {
      const { status, body } = action;
      return { directResponse: body === undefined ? { status } : { status, body: { inlineString: body } } };
    }
  }
}

const REDIRECT_CODES = {
  301: 'MOVED_PERMANENTLY',
  302: 'FOUND',
  303: 'SEE_OTHER',
  307: 'TEMPORARY_REDIRECT',
  308: 'PERMANENT_REDIRECT',
} as const;

function buildRedirect(redirect: Redirect, matched: PathMatch): RedirectAction {
  const { status, path, segments, authority, port, scheme } = redirect;
  return {
    responseCode: REDIRECT_CODES[status],
    ...(path === undefined ? {} : { pathRedirect: path }),
    ...(segments === undefined ? {} : segmentsRewrite(segments, matched)),
    ...(port === undefined ? {} : { portRedirect: port }),
    ...(authority === undefined ? {} : { hostRedirect: authority }),
    ...(scheme === undefined ? {} : { schemeRedirect: scheme }),
  };
}

const EXTENSIONS = 'type.googleapis.com/envoy.extensions.filters.http';

/** Settings of the fault and the CORS filter for a route. */
function routeExtras(encoder: MessageEncoder, { fault, cors }: HttpRoute): Pick<Route, 'typedPerFilterConfig'> {
  const perFilter: NonNullable<Route['typedPerFilterConfig']> = {
    ...(fault === undefined ? {} : faultOverride(encoder, fault)),
    ...(cors === undefined
      ? {}
      : { 'envoy.filters.http.cors': encoder.packAny(`${EXTENSIONS}.cors.v3.CorsPolicy`, corsConfig(cors)) }),
  };
  return Object.keys(perFilter).length === 0 ? {} : { typedPerFilterConfig: perFilter };
}

function corsConfig({
  origins,
  methods,
  requestHeaders,
  exposedHeaders,
  maxAgeMs,
  allowsCredentials,
}: CorsPolicy): EnvoyCorsPolicy {
  return {
    allowOriginStringMatch: origins.map(stringMatcher),
    ...(methods.length === 0 ? {} : { allowMethods: methods.join() }),
    ...(requestHeaders.length === 0 ? {} : { allowHeaders: requestHeaders.join() }),
    ...(exposedHeaders.length === 0 ? {} : { exposeHeaders: exposedHeaders.join() }),
    ...(maxAgeMs === undefined ? {} : { maxAge: String(Math.floor(maxAgeMs / 1000)) }),
    ...(allowsCredentials === undefined ? {} : { allowCredentials: { value: allowsCredentials } }),
  };
}
