import { parseDuration } from '../../../base/parse-duration.js';
import type { HttpBackendSpec, HttpRouteRule } from '../../../config/gateway-api/http-route.js';
import { DEFAULT_RETRIES } from '../../traffic/default-retries.js';
import { WHOLE_SERVICE } from '../../traffic/destination.js';
import type { Forward, HttpAction, Mirror, WeightedDestination } from '../../traffic/http-action.js';
import type { ReportedCondition } from '../report.js';
import type { RouteDraft } from '../route-draft.js';
import type { ResolveBackend } from './backends.js';
import {
  filterOf,
  type ListenerPort,
  mirroredPercent,
  translateCors,
  translateHeaderFilters,
  translateRedirect,
  translateRewrite,
} from './filters.js';
import { translateMatches } from './matches.js';

export interface RuleContext {
  /** `<namespace>/<name>` of the route. */
  readonly route: string;
  readonly namespace: string;
  readonly listener: ListenerPort;
  readonly resolve: ResolveBackend;
  /** Takes a reference that cannot be followed. */
  onProblem(problem: Pick<ReportedCondition, 'reason' | 'message'>): void;
}

/** Envoy answers 500 for it, because no cluster has its name. */
const INVALID_BACKEND = { hostname: 'invalid-backend', port: 0, subset: WHOLE_SERVICE };

/** The routes of a rule, one for each of its matches, in their order. The rule has nothing unsupported. */
export function translateRule(rule: HttpRouteRule, index: number, context: RuleContext): readonly RouteDraft[] {
  const headers = translateHeaderFilters(rule.filters);
  const cors = filterOf(rule.filters, 'cors');
  const action = actionOf(rule, context);
  const name = `${context.route}/${rule.name === undefined || rule.name === '' ? index : rule.name}`;
  const hasTimeout = rule.timeouts?.request !== undefined;
  return translateMatches(rule.matches).map((match) => ({
    hasTimeout,
    route: {
      name,
      match,
      action,
      ...(headers === undefined ? {} : { headers }),
      ...(cors === undefined ? {} : { cors: translateCors(cors) }),
      operation: name,
    },
  }));
}

function actionOf(rule: HttpRouteRule, context: RuleContext): HttpAction {
  const destinations = destinationsOf(rule.backendRefs, context);
  const mirrors = mirrorsOf(rule, context);
  const redirect = filterOf(rule.filters, 'requestRedirect');
  if (redirect !== undefined) return translateRedirect(redirect, context.listener);
  const isValid = ({ hostname, weight }: WeightedDestination) => weight > 0 && hostname !== INVALID_BACKEND.hostname;
  if (!destinations.some(isValid)) return { type: 'respond', status: 500 };
  const rewrite = filterOf(rule.filters, 'urlRewrite');
  const { request, backendRequest } = rule.timeouts ?? {};
  const perTryTimeoutMs = backendRequest === undefined ? 0 : parseDuration(backendRequest);
  const forward: Forward = {
    type: 'forward',
    destinations,
    timeoutMs: request === undefined ? 0 : parseDuration(request),
    retries: { ...DEFAULT_RETRIES, ...(perTryTimeoutMs === 0 ? {} : { perTryTimeoutMs }) },
    ...(rewrite === undefined ? {} : { rewrite: translateRewrite(rewrite) }),
    ...(mirrors.length === 0 ? {} : { mirrors }),
    statusWithoutCluster: 500,
  };
  return forward;
}

/** Destinations with a share of the requests. */
function destinationsOf(backends: readonly HttpBackendSpec[], context: RuleContext): readonly WeightedDestination[] {
  return backends.flatMap((backend): readonly WeightedDestination[] => {
    const { weight } = backend;
    const resolved = context.resolve(backend, context.namespace);
    if (resolved.type === 'invalid') context.onProblem(resolved.problem);
    if (weight === 0) return [];
    if (resolved.type === 'invalid') return [{ ...INVALID_BACKEND, weight }];
    const headers = translateHeaderFilters(backend.filters);
    return [{ ...resolved.destination, weight, ...(headers === undefined ? {} : { headers }) }];
  });
}

function mirrorsOf({ filters }: HttpRouteRule, context: RuleContext): readonly Mirror[] {
  return filters.flatMap(({ requestMirror }): readonly Mirror[] => {
    if (requestMirror === undefined) return [];
    const resolved = context.resolve(requestMirror.backendRef, context.namespace);
    if (resolved.type === 'service') {
      return [{ destination: resolved.destination, percent: mirroredPercent(requestMirror) }];
    }
    context.onProblem(resolved.problem);
    return [];
  });
}
