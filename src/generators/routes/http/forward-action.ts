import { duration } from '../../../envoy/durations.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { PASSTHROUGH_CLUSTER } from '../../../envoy/names.js';
import { fractionalPercent } from '../../../envoy/percent.js';
import type { RetryPolicy as EnvoyRetryPolicy } from '../../../generated/envoy/config/route/v3/RetryPolicy.js';
import type { RouteAction } from '../../../generated/envoy/config/route/v3/RouteAction.js';
import type { Forward, RetryPolicy, Rewrite } from '../../../model/traffic/http-action.js';
import type { PathMatch } from '../../../model/traffic/http-match.js';
import { clusterOf } from '../../destination-names.js';
import { buildHeaderChanges } from './header-changes.js';

const PREVIOUS_HOSTS = 'type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate';

/** Where requests go whose host no route table knows: where their connection was going. */
export const PASS_THROUGH: RouteAction = { cluster: PASSTHROUGH_CLUSTER, ...timeouts(0) };

/** @param path that the route matched, for the rewrite */
export function buildForward(encoder: MessageEncoder, forward: Forward, path: PathMatch): RouteAction {
  const { timeoutMs, retries, mirrors, rewrite } = forward;
  return {
    ...clusterFields(forward),
    ...timeouts(timeoutMs),
    ...(retries === undefined ? {} : { retryPolicy: buildRetryPolicy(encoder, retries) }),
    ...(rewrite === undefined ? {} : rewriteFields(rewrite, path)),
    ...(mirrors === undefined
      ? {}
      : {
          requestMirrorPolicies: mirrors.map(({ destination, percent }) => ({
            cluster: clusterOf(destination),
            runtimeFraction: { defaultValue: fractionalPercent(percent) },
          })),
        }),
  };
}

/** One destination that has no headers of its own needs no draw. */
function clusterFields({ destinations }: Forward): RouteAction {
  const [first] = destinations;
  if (destinations.length === 1 && first !== undefined && first.headers === undefined)
    return { cluster: clusterOf(first) };
  return {
    weightedClusters: {
      clusters: destinations.map((destination) => ({
        name: clusterOf(destination),
        weight: { value: destination.weight },
        ...(destination.headers === undefined ? {} : buildHeaderChanges(destination.headers)),
      })),
    },
  };
}

/** Streams have no limit of their own; the timeout is also the most that a caller's `grpc-timeout` may ask for. */
function timeouts(timeoutMs: number): RouteAction {
  return {
    timeout: duration(timeoutMs),
    maxStreamDuration: { maxStreamDuration: duration(0), grpcTimeoutHeaderMax: duration(timeoutMs) },
  };
}

function buildRetryPolicy(
  encoder: MessageEncoder,
  { conditions, attempts, statusCodes = [], perTryTimeoutMs = 0, otherHostAttempts }: RetryPolicy,
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
  };
}

function rewriteFields({ path, authority }: Rewrite, matched: PathMatch): RouteAction {
  return {
    ...(path === undefined ? {} : pathRewrite(path, matched)),
    ...(authority === undefined ? {} : { hostRewriteLiteral: authority }),
  };
}

/** Envoy replaces what matched: the prefix, or the whole of an exact path. */
function pathRewrite(path: string, { type, value }: PathMatch): RouteAction {
  if (type !== 'regex') return { prefixRewrite: path };
  return { regexRewrite: { pattern: { regex: value }, substitution: path.replaceAll('\\', '\\\\') } };
}
