import { wireFields } from '../../../config/policy-rules/descriptors/wire-fields.js';
import type { ProtoRegistry } from '../../../envoy/proto-registry.js';
import { ASSIGNMENT_TTL_S, type Assignment } from '../../quota/shares/assignment.js';
import type { BucketAction, BucketId } from '../../quota/shares/bucket-action.js';
import type { BucketReport } from '../../quota/shares/proxy-shares.js';
import type { WireInt64 } from '../adapter/envoy-messages.js';
import { EnvoyMessageError } from '../envoy-codec.js';

/** Decodes and encodes the messages of `envoy.service.rate_limit_quota.v3`. */
export interface ShareCodec {
  /**
   * Decodes one report after the other, so that a long message takes little memory. A report that is too long is undefined.
   *
   * @throws EnvoyMessageError while it is read
   */
  decodeReports(bytes: Uint8Array): Iterable<BucketReport | undefined>;
  encodeActions(actions: readonly BucketAction[]): Buffer;
}

interface WireReport {
  readonly bucketId?: { readonly bucket?: BucketId } | null;
  readonly numRequestsAllowed?: WireInt64 | null;
  readonly numRequestsDenied?: WireInt64 | null;
}

/** Number of `bucket_quota_usages`. */
const REPORTS_FIELD = 2;
const MAX_REPORT_BYTES = 16_384;

const SERVICE = 'envoy.service.rate_limit_quota.v3';

/** Numbers of `RateLimitStrategy.BlanketRule`. */
const BLANKET_RULES = { allow: 0, deny: 1 } as const;

export function createShareCodec(registry: ProtoRegistry): ShareCodec {
  const reports = registry.type(`${SERVICE}.RateLimitQuotaUsageReports`);
  const reported = registry.type(`${SERVICE}.RateLimitQuotaUsageReports.BucketQuotaUsage`);
  const response = registry.type(`${SERVICE}.RateLimitQuotaResponse`);
  return {
    decodeReports: function* (bytes) {
      try {
        for (const field of wireFields(bytes)) {
          if (field.number !== REPORTS_FIELD || field.type !== 'bytes') continue;
          if (field.value.length > MAX_REPORT_BYTES) yield undefined;
          else yield reportOf(reported.decode(field.value) as unknown as WireReport);
        }
      } catch (cause) {
        throw new EnvoyMessageError(reports.name, { cause });
      }
    },
    encodeActions: (actions) =>
      response.encode({ bucketAction: actions.flatMap(actionMessages) } as Record<string, unknown>).finish() as Buffer,
  };
}

function reportOf({ bucketId, numRequestsAllowed, numRequestsDenied }: WireReport): BucketReport {
  return {
    id: { ...bucketId?.bucket },
    allowed: numberOf(numRequestsAllowed),
    denied: numberOf(numRequestsDenied),
  };
}

function numberOf(value: WireInt64 | null | undefined): number {
  const number = Number(value?.toString() ?? 0);
  return Number.isSafeInteger(number) ? number : Number.MAX_SAFE_INTEGER;
}

/** More than one for a full bucket: only after another rule does a proxy fill a bucket that it has already. */
function actionMessages(action: BucketAction): readonly object[] {
  const bucketId = { bucket: action.id };
  if (action.type === 'abandon') return [{ bucketId, abandonAction: {} }];
  const { assignment } = action;
  const assign = (rateLimitStrategy: object): object => ({
    bucketId,
    quotaAssignmentAction: { assignmentTimeToLive: { seconds: ASSIGNMENT_TTL_S, nanos: 0 }, rateLimitStrategy },
  });
  if (assignment.type !== 'tokens') return [assign({ blanketRule: BLANKET_RULES[assignment.type] })];
  const tokens = assign({ tokenBucket: tokenBucket(assignment) });
  return assignment.isFull ? [assign({ blanketRule: BLANKET_RULES.deny }), tokens] : [tokens];
}

const MAX_UINT32 = 4_294_967_295;
/** Seconds in which fast and slow buckets are filled: proxies fill in whole seconds. */
const FILL_S = { fast: 1_000, slow: 1_000_000 } as const;

/**
 * A proxy compares two buckets without the seconds of their intervals: fast ones get even numbers of tokens, slow ones odd
 * numbers.
 */
function tokenBucket({ maxTokens, tokensPerS }: Extract<Assignment, { readonly type: 'tokens' }>): object {
  const isFast = tokensPerS >= 1;
  const tokens = isFast
    ? 2 * Math.round((tokensPerS * FILL_S.fast) / 2)
    : 2 * Math.round((tokensPerS * FILL_S.slow) / 2) + 1;
  return {
    maxTokens: Math.min(maxTokens, MAX_UINT32),
    tokensPerFill: { value: Math.min(tokens, MAX_UINT32) },
    fillInterval: { seconds: isFast ? FILL_S.fast : FILL_S.slow, nanos: 0 },
  };
}
