import type { RateLimitQuotaBucketSettings } from '../generated/envoy/extensions/filters/http/rate_limit_quota/v3/RateLimitQuotaBucketSettings.js';
import type { RateLimitQuotaFilterConfig } from '../generated/envoy/extensions/filters/http/rate_limit_quota/v3/RateLimitQuotaFilterConfig.js';
import { duration } from './durations.js';
import { buildGrpcService, type GrpcServiceOptions } from './grpc-service.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';
import { buildMatcher, buildRequestInput, type MatchTree, type RequestInput } from './request-matcher.js';

/** Counts requests in buckets, and refuses those that a server assigns no share (docs/reference/rate-limit-quota.md). */
export interface RateLimitQuotaOptions {
  readonly server: GrpcServiceOptions;
  /** With the cluster of the server, it names the stream and the buckets that filters of the proxy share. */
  readonly domain: string;
  /** Its actions are of `buildBucketAction`. Undefined: the filter counts nothing. */
  readonly matchers: MatchTree | undefined;
}

/** The bucket of a request. */
export interface BucketOptions {
  /**
   * Parts of the bucket's id: fixed texts, or texts of the request. A request that lacks such a text is not counted, so the
   * matchers must have found it.
   */
  readonly id: Readonly<Record<string, string | RequestInput>>;
  readonly denial: DenialOptions;
  /** What happens to requests when the last assignment is this long expired. Before the first one, all pass. */
  readonly afterExpiry: 'ALLOW_ALL' | 'DENY_ALL';
}

/** The response to a refused request. */
export interface DenialOptions {
  readonly status: 'TooManyRequests' | 'ServiceUnavailable';
  /** `google.rpc.Code`, for clients that call gRPC. */
  readonly grpcStatus: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const EXTENSION = 'type.googleapis.com/envoy.extensions.filters.http.rate_limit_quota.v3';

export const RATE_LIMIT_QUOTA = `${EXTENSION}.RateLimitQuotaFilterConfig`;

/** Envoy requires it, and reports every five seconds in any case. */
const REPORTING_INTERVAL_MS = 5000;
/** Envoy ends this state too. Without a server it must last. */
const AFTER_EXPIRY_MS = 365 * 24 * 3600 * 1000;

export function buildRateLimitQuota(
  encoder: MessageEncoder,
  { server, domain, matchers }: RateLimitQuotaOptions,
): PackedAny {
  const config: RateLimitQuotaFilterConfig = {
    rlqsServer: buildGrpcService(server),
    domain,
    bucketMatchers: matchers === undefined ? {} : buildMatcher(encoder, matchers),
  };
  return encoder.packAny(RATE_LIMIT_QUOTA, config);
}

/** A bucket as an action of a matcher. A bucket without assignment must not have a token bucket: it would end Envoy. */
export function buildBucketAction(encoder: MessageEncoder, { id, denial, afterExpiry }: BucketOptions): PackedAny {
  const { status, grpcStatus, body, headers } = denial;
  const settings: RateLimitQuotaBucketSettings = {
    bucketIdBuilder: {
      bucketIdBuilder: Object.fromEntries(
        Object.entries(id).map(([key, value]) => [
          key,
          typeof value === 'string' ? { stringValue: value } : { customValue: buildRequestInput(encoder, value) },
        ]),
      ),
    },
    reportingInterval: duration(REPORTING_INTERVAL_MS),
    denyResponseSettings: {
      httpStatus: { code: status },
      httpBody: { value: Buffer.from(body) },
      grpcStatus: { code: grpcStatus, message: body },
      responseHeadersToAdd: Object.entries(headers).map(([key, value]) => ({ header: { key, value } })),
    },
    noAssignmentBehavior: { fallbackRateLimit: { blanketRule: 'ALLOW_ALL' } },
    expiredAssignmentBehavior: {
      expiredAssignmentBehaviorTimeout: duration(AFTER_EXPIRY_MS),
      fallbackRateLimit: { blanketRule: afterExpiry },
    },
  };
  return encoder.packAny(`${EXTENSION}.RateLimitQuotaBucketSettings`, settings);
}
