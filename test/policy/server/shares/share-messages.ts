import { envoyBytes, envoyProtos } from '../policy-server-rig.js';

const SERVICE = 'envoy.service.rate_limit_quota.v3';

export interface Report {
  readonly id: Readonly<Record<string, string>>;
  readonly allowed: number;
  readonly denied?: number;
}

/** The message in which a proxy reports. */
export function reportsBytes(reports: readonly Report[]): Buffer {
  return envoyBytes(`${SERVICE}.RateLimitQuotaUsageReports`, {
    domain: 'inbound',
    bucketQuotaUsages: reports.map(({ id, allowed, denied = 0 }) => ({
      bucketId: { bucket: id },
      timeElapsed: { seconds: 5 },
      numRequestsAllowed: allowed,
      numRequestsDenied: denied,
    })),
  });
}

export interface ReadAction {
  readonly id: Readonly<Record<string, string>>;
  readonly type: 'allow' | 'deny' | 'tokens' | 'abandon';
}

/** The actions of a response, in order. */
export function readActions(bytes: Uint8Array): readonly ReadAction[] {
  const type = envoyProtos.type(`${SERVICE}.RateLimitQuotaResponse`);
  const { bucketAction = [] } = type.toObject(type.decode(bytes), { enums: String }) as {
    bucketAction?: readonly {
      readonly bucketId: { readonly bucket: Readonly<Record<string, string>> };
      readonly abandonAction?: object;
      readonly quotaAssignmentAction?: { readonly rateLimitStrategy: Readonly<Record<string, unknown>> };
    }[];
  };
  return bucketAction.map(({ bucketId, abandonAction, quotaAssignmentAction }) => ({
    id: bucketId.bucket,
    type: abandonAction ? 'abandon' : strategyOf(quotaAssignmentAction?.rateLimitStrategy ?? {}),
  }));
}

function strategyOf(strategy: Readonly<Record<string, unknown>>): ReadAction['type'] {
  if (strategy['tokenBucket'] !== undefined) return 'tokens';
  return strategy['blanketRule'] === 'DENY_ALL' ? 'deny' : 'allow';
}
