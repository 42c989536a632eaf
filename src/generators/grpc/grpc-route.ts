import { duration } from '../../envoy/durations.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { BLACK_HOLE_CLUSTER } from '../../envoy/names.js';
import type { RetryPolicy as EnvoyRetryPolicy } from '../../generated/envoy/config/route/v3/RetryPolicy.js';
import type { Route } from '../../generated/envoy/config/route/v3/Route.js';
import type { RouteAction } from '../../generated/envoy/config/route/v3/RouteAction.js';
import type { Forward, RetryPolicy } from '../../model/traffic/http-action.js';
import type { HttpRoute } from '../../model/traffic/http-route.js';
import { clusterOf } from '../destination-names.js';
import { faultOverride } from '../routes/http/fault-override.js';
import { buildGrpcMatch } from './grpc-match.js';

/** A route of a gRPC client, and the names of what it loses. */
export interface GrpcRoute {
  readonly route: Route;
  /** Fields of a VirtualService that gRPC libraries do not have. */
  readonly ignored: readonly string[];
}

/** The conditions of retries that gRPC knows: status codes (gRFC A44). */
const RETRIED_CODES: ReadonlySet<string> = new Set([
  'cancelled',
  'deadline-exceeded',
  'internal',
  'resource-exhausted',
  'unavailable',
]);

/** @returns undefined for a route that no call of this client matches */
export function buildGrpcRoute(
  encoder: MessageEncoder,
  { name, match, action, headers, fault, cors }: HttpRoute,
  authority: string,
): GrpcRoute | undefined {
  const condition = buildGrpcMatch(match, authority);
  if (condition === undefined) return undefined;
  // gRPC has no redirect and no answer of its own. The next route must not get these calls, so they fail with UNAVAILABLE.
  if (action.type !== 'forward') {
    return { route: { name, match: condition, route: { cluster: BLACK_HOLE_CLUSTER } }, ignored: [action.type] };
  }
  const ignored = [
    ...(headers === undefined && action.destinations.every((each) => each.headers === undefined) ? [] : ['headers']),
    ...(cors === undefined ? [] : ['corsPolicy']),
    ...(action.rewrite === undefined ? [] : ['rewrite']),
    ...(action.mirrors === undefined ? [] : ['mirrors']),
    ...(action.retries?.perTryTimeoutMs === undefined ? [] : ['retries.perTryTimeout']),
    ...(isHashed(action) ? [] : ['consistentHash']),
  ];
  const route: Route = {
    name,
    match: condition,
    route: buildAction(action),
    ...(fault === undefined ? {} : { typedPerFilterConfig: faultOverride(encoder, fault) }),
  };
  return { route, ignored };
}

function buildAction(forward: Forward): RouteAction {
  const { timeoutMs, retries } = forward;
  const retryPolicy = retries && buildRetries(retries);
  return {
    ...clusterFields(forward),
    ...(timeoutMs > 0 ? { maxStreamDuration: { maxStreamDuration: duration(timeoutMs) } } : {}),
    ...(retryPolicy === undefined ? {} : { retryPolicy }),
    ...hashFields(forward),
  };
}

function clusterFields({ destinations }: Forward): RouteAction {
  const used = destinations.filter(({ weight }) => weight > 0);
  const [first] = used;
  if (used.length === 1 && first !== undefined) return { cluster: clusterOf(first) };
  const clusters = used.map((destination) => ({
    name: clusterOf(destination),
    weight: { value: destination.weight },
  }));
  return { weightedClusters: { clusters } };
}

/** gRPC rejects a policy of no retries. */
function buildRetries({ conditions, attempts }: RetryPolicy): EnvoyRetryPolicy | undefined {
  const codes = conditions.filter((condition) => RETRIED_CODES.has(condition));
  return codes.length === 0 || attempts < 1 ? undefined : { retryOn: codes.join(), numRetries: { value: attempts } };
}

/** Calls without this field go to any endpoint. */
function hashFields({ hashKey }: Forward): RouteAction {
  switch (hashKey?.type) {
    case 'header':
      return { hashPolicy: [{ header: { headerName: hashKey.name } }] };
    case 'sourceAddress':
      // All calls of one channel go to the same endpoint: the nearest to an address that gRPC has (gRFC A42).
      return { hashPolicy: [{ filterState: { key: 'io.grpc.channel_id' } }] };
    default:
      return {};
  }
}

function isHashed({ hashKey }: Forward): boolean {
  return hashKey === undefined || hashKey.type === 'header' || hashKey.type === 'sourceAddress';
}
