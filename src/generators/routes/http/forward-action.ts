import { escapeRegex } from '../../../base/escape-regex.js';
import { duration } from '../../../envoy/durations.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { fractionalPercent } from '../../../envoy/percent.js';
import { regexMatcher } from '../../../envoy/regex-matcher.js';
import type { RetryPolicy as EnvoyRetryPolicy } from '../../../generated/envoy/config/route/v3/RetryPolicy.js';
import type {
  RouteAction,
  _envoy_config_route_v3_RouteAction_HashPolicy as RouteHashPolicy,
} from '../../../generated/envoy/config/route/v3/RouteAction.js';
import type { HashKey } from '../../../model/traffic/cluster-policy.js';
import type { Forward, PassThrough, RetryPolicy, Rewrite } from '../../../model/traffic/http-action.js';
import type { PathMatch } from '../../../model/traffic/http-match.js';
import type { RouteClusters } from '../../destination-names.js';
import { buildHeaderChanges } from './header-changes.js';

const PREVIOUS_HOSTS = 'type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate';

const PREVIOUS_PRIORITIES =
  'type.googleapis.com/envoy.extensions.retry.priority.previous_priorities.v3.PreviousPrioritiesConfig';
/** Attempts after which the localities are chosen anew: each retry leaves those that were tried. */
const PRIORITY_UPDATES = 1;

/** Passes a request on to the original destination of its connection. */
export function buildPassThrough(
  encoder: MessageEncoder,
  { retries }: PassThrough,
  { passThrough }: RouteClusters,
): RouteAction {
  return { cluster: passThrough, ...timeouts(0), ...retryFields(encoder, retries) };
}

/** @param path that the route matched, for the rewrite */
export function buildForward(
  encoder: MessageEncoder,
  forward: Forward,
  path: PathMatch,
  clusters: RouteClusters,
): RouteAction {
  const { timeoutMs, retries, mirrors, rewrite, hashKey, statusWithoutCluster } = forward;
  return {
    ...clusterFields(forward, clusters),
    ...(statusWithoutCluster === undefined ? {} : { clusterNotFoundResponseCode: 'INTERNAL_SERVER_ERROR' }),
    ...timeouts(timeoutMs),
    ...retryFields(encoder, retries),
    ...(rewrite === undefined ? {} : rewriteFields(rewrite, path)),
    ...(hashKey === undefined ? {} : { hashPolicy: [buildHashPolicy(hashKey)] }),
    ...(mirrors === undefined
      ? {}
      : {
          requestMirrorPolicies: mirrors.map(({ destination, percent }) => ({
            cluster: clusters.of(destination),
            runtimeFraction: { defaultValue: fractionalPercent(percent) },
          })),
        }),
  };
}

/** A single destination without headers of its own needs no weights. */
function clusterFields({ destinations }: Forward, clusters: RouteClusters): RouteAction {
  const [first] = destinations;
  if (destinations.length === 1 && first !== undefined && first.headers === undefined)
    return { cluster: clusters.of(first) };
  return {
    weightedClusters: {
      clusters: destinations.map((destination) => ({
        name: clusters.of(destination),
        weight: { value: destination.weight },
        ...(destination.headers === undefined ? {} : buildHeaderChanges(destination.headers)),
      })),
    },
  };
}

/**
 * A timeout is for the whole request. Without one, streams have no limit, and a caller's `grpc-timeout` has none either:
 * Envoy ignores the timeout of a route that says anything about the duration of streams.
 */
function timeouts(timeoutMs: number): RouteAction {
  if (timeoutMs > 0) return { timeout: duration(timeoutMs) };
  return {
    timeout: duration(timeoutMs),
    maxStreamDuration: { maxStreamDuration: duration(0), grpcTimeoutHeaderMax: duration(timeoutMs) },
  };
}

function retryFields(encoder: MessageEncoder, retries: RetryPolicy | undefined): RouteAction {
  return retries === undefined ? {} : { retryPolicy: buildRetryPolicy(encoder, retries) };
}

function buildRetryPolicy(
  encoder: MessageEncoder,
  { conditions, attempts, statusCodes = [], perTryTimeoutMs = 0, otherHostAttempts, remoteLocalities }: RetryPolicy,
): EnvoyRetryPolicy {
  return {
    retryOn: conditions.join(),
    numRetries: { value: attempts },
    retriableStatusCodes: [...statusCodes],
    ...(perTryTimeoutMs === 0 ? {} : { perTryTimeout: duration(perTryTimeoutMs) }),
    ...(otherHostAttempts === undefined
      ? {}
      : {
          retryHostPredicate: [
            { name: 'envoy.retry_host_predicates.previous_hosts', typedConfig: encoder.packAny(PREVIOUS_HOSTS, {}) },
          ],
          hostSelectionRetryMaxAttempts: otherHostAttempts,
        }),
    ...(remoteLocalities === true
      ? {
          retryPriority: {
            name: 'envoy.retry_priorities.previous_priorities',
            typedConfig: encoder.packAny(PREVIOUS_PRIORITIES, { updateFrequency: PRIORITY_UPDATES }),
          },
        }
      : {}),
  };
}

function buildHashPolicy(key: HashKey): RouteHashPolicy {
  switch (key.type) {
    case 'header':
      return { header: { headerName: key.name } };
    case 'queryParameter':
      return { queryParameter: { name: key.name } };
    case 'cookie': {
      const { name, path, lifetimeMs } = key;
      return { cookie: { name, ttl: duration(lifetimeMs), ...(path === undefined ? {} : { path }) } };
    }
    case 'sourceAddress':
      return { connectionProperties: { sourceIp: true } };
  }
}

function rewriteFields(rewrite: Rewrite, matched: PathMatch): RouteAction {
  const { path, wholePath, segments, authority } = rewrite;
  return {
    ...(path === undefined ? {} : pathRewrite(path, matched)),
    ...(wholePath === undefined
      ? {}
      : { regexRewrite: { pattern: regexMatcher('^/.*'), substitution: literal(wholePath) } }),
    ...(segments === undefined ? {} : segmentsRewrite(segments, matched)),
    ...(authority === undefined ? {} : { hostRewriteLiteral: authority }),
  };
}

/** Envoy replaces what matched: the prefix, or the whole of an exact path. */
function pathRewrite(path: string, { type, value }: PathMatch): RouteAction {
  if (type !== 'regex') return { prefixRewrite: path };
  return { regexRewrite: { pattern: regexMatcher(value), substitution: literal(path) } };
}

/** A text as the substitution of an expression, in which a backslash starts a reference to a group. */
function literal(text: string): string {
  return text.replaceAll('\\', '\\\\');
}

/** Replaces the matched segments. Envoy replaces them as a text, so slashes between the texts must stay one. */
export function segmentsRewrite(
  segments: string,
  { value }: PathMatch,
): Pick<RouteAction, 'prefixRewrite' | 'regexRewrite'> {
  if (value === '/') return { prefixRewrite: `${segments}/` };
  if (segments !== '') return { prefixRewrite: segments };
  return { regexRewrite: { pattern: regexMatcher(`^${escapeRegex(value)}/*`), substitution: '/' } };
}
