import type { AttributeBag, AttributeLayer } from './attribute-bag.js';
import type { HeaderMap } from './header-map.js';
import { LayerBuilder } from './layer-builder.js';

/** The decision about the request. */
export interface DecisionFacts {
  /** Status code of the Check, as google.rpc.Code. */
  readonly checkErrorCode?: number;
  readonly checkErrorMessage?: string;
  readonly isCheckCacheHit?: boolean;
  readonly isQuotaCacheHit?: boolean;
  /** What would have refused the request without `dryRun`. */
  readonly dryRun?: string;
  /** The answer of access control in its trial mode. */
  readonly rbacPermissiveResponseCode?: string;
  readonly rbacPermissivePolicyId?: string;
}

/** A finished request as the proxy sees it. Unknown members are left out. */
export interface HttpResponseFacts {
  /** Address of the workload that answered, in network byte order: 4 bytes or 16. */
  readonly destinationIp?: Uint8Array;
  readonly destinationPort?: number;
  readonly destinationUid?: string;
  readonly headers?: HeaderMap;
  /** When the response was complete, in nanoseconds since 1970-01-01T00:00:00Z. */
  readonly timeNs?: bigint;
  /** Bytes of the bodies, and of bodies and headers. */
  readonly requestBodyBytes?: bigint;
  readonly responseBodyBytes?: bigint;
  readonly requestTotalBytes?: bigint;
  readonly responseTotalBytes?: bigint;
  readonly durationNs?: bigint;
  readonly responseCode?: number;
  /** As it stands in the trailer `grpc-status`. */
  readonly grpcStatus?: string;
  readonly grpcMessage?: string;
  /** The proxy's own error, for example that no upstream was healthy. */
  readonly proxyErrorCode?: string;
  readonly decision: DecisionFacts;
}

/**
 * The attributes that a Report adds to the request (docs/reference/policy-client.md#report-attributes).
 *
 * @param bag of the request; its destination address stays when it has one
 */
export function deriveHttpReportAttributes(response: HttpResponseFacts, bag: AttributeBag): AttributeLayer {
  const { decision } = response;
  return new LayerBuilder()
    .bytes('destination.ip', bag.get('destination.ip') === undefined ? response.destinationIp : undefined)
    .int64('destination.port', bag.get('destination.port') === undefined ? response.destinationPort : undefined)
    .string('destination.uid', response.destinationUid)
    .stringMap('response.headers', response.headers)
    .timestamp('response.time', response.timeNs)
    .int64('request.size', response.requestBodyBytes)
    .int64('response.size', response.responseBodyBytes)
    .int64('request.total_size', response.requestTotalBytes)
    .int64('response.total_size', response.responseTotalBytes)
    .duration('response.duration', response.durationNs)
    .int64('response.code', response.responseCode)
    .string('response.grpc_status', response.grpcStatus)
    .string('response.grpc_message', response.grpcMessage)
    .string('context.proxy_error_code', response.proxyErrorCode)
    .int64('check.error_code', decision.checkErrorCode)
    .string('check.error_message', decision.checkErrorMessage)
    .string('check.dry_run', decision.dryRun)
    .bool('check.cache_hit', decision.isCheckCacheHit)
    .bool('quota.cache_hit', decision.isQuotaCacheHit)
    .string('rbac.permissive.response_code', decision.rbacPermissiveResponseCode)
    .string('rbac.permissive.effective_policy_id', decision.rbacPermissivePolicyId)
    .build();
}
