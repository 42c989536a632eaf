import { rpcCodeNumber } from '../../../base/rpc-code.js';
import type { MessageEncoder, PackedAny } from '../../../envoy/message-encoder.js';
import { buildBucketAction, buildRateLimitQuota, type DenialOptions } from '../../../envoy/rate-limit-quota.js';
import type { BucketKind } from '../../../model/policy/fast/bucket-kinds.js';
import { POLICY_UNAVAILABLE_HEADER } from '../../../policy/wire/call-metadata.js';
import { BUCKET_DOMAIN, bucketIdOf } from '../../../policy/wire/quota-buckets.js';
import { buildBucketTree } from './bucket-tree.js';

/** Builds the filters of fast quotas. They do not name the proxy, so that all workloads of a service share them. */
export interface FastFilters {
  /** Counts requests to the service, and refuses those beyond the proxy's share. */
  quotas(cluster: string, service: string, kinds: readonly BucketKind[]): PackedAny;
  /** Refuses requests to the service while no policy server answers. */
  guard(cluster: string, service: string): PackedAny;
  /** A filter in the place of either that lets everything pass. */
  idle(cluster: string): PackedAny;
}

/** Shares change within this time, as proxies report this often. */
const RETRY_AFTER_S = '5';

export function createFastFilters(encoder: MessageEncoder): FastFilters {
  const build = (cluster: string, matchers: Parameters<typeof buildRateLimitQuota>[1]['matchers']): PackedAny =>
    buildRateLimitQuota(encoder, { server: { cluster }, domain: BUCKET_DOMAIN, matchers });
  return {
    quotas: (cluster, service, kinds) => {
      const tree = buildBucketTree(
        kinds,
        ({ charges }) => bucketIdOf({ type: 'quotas', service, charges }),
        // When no policy server answers, the guard decides.
        ({ charges }, id) => buildBucketAction(encoder, { id, denial: exhausted(charges), afterExpiry: 'ALLOW_ALL' }),
      );
      return build(cluster, tree);
    },
    guard: (cluster, service) =>
      build(cluster, {
        type: 'action',
        action: buildBucketAction(encoder, {
          id: bucketIdOf({ type: 'guard', service }),
          denial: UNREACHABLE,
          afterExpiry: 'DENY_ALL',
        }),
      }),
    idle: (cluster) => build(cluster, undefined),
  };
}

/** As the policy server answers it (docs/reference/errors.md). */
function exhausted(charges: BucketKind['charges']): DenialOptions {
  return {
    status: 'TooManyRequests',
    grpcStatus: rpcCodeNumber('RESOURCE_EXHAUSTED'),
    body: `Quota is exhausted for: ${[...charges.keys()].join(',')}`,
    headers: { 'retry-after': RETRY_AFTER_S },
  };
}

const UNREACHABLE: DenialOptions = {
  status: 'ServiceUnavailable',
  grpcStatus: rpcCodeNumber('UNAVAILABLE'),
  body: 'No policy server answers this proxy, and the fail policy FAIL_CLOSE refuses the request',
  headers: { [POLICY_UNAVAILABLE_HEADER]: 'unreachable', 'retry-after': '1' },
};
