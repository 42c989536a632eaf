import type { NetworkFailPolicy as NetworkFailPolicyFields } from '../../config/policy/transport-config.js';
import { clientDurationMs } from './client-duration.js';

/** NetworkFailPolicy as it is written, with or without the defaults of its schema (SPEC 2.10). */
export type NetworkFailPolicyConfig = Partial<NetworkFailPolicyFields>;

/** NetworkFailPolicy ready for use. */
export interface NetworkFailPolicy {
  /** What becomes of a request when the policy server cannot be asked: it passes, or it is refused. */
  readonly policy: NetworkFailPolicyFields['policy'];
  readonly maxRetry: number;
  readonly baseRetryWaitMs: number;
  readonly maxRetryWaitMs: number;
}

const DEFAULT_BASE_RETRY_WAIT_MS = 80;
const DEFAULT_MAX_RETRY_WAIT_MS = 1000;

/**
 * The policy of a service: its own where it has one, else the mesh's, else FAIL_OPEN without retries. A service's own
 * policy replaces the mesh's as a whole; what it leaves out has its default, not the mesh's value (SPEC 2.11, 2.12).
 *
 * @throws DurationSyntaxError when a wait cannot be read; validated configuration does not get here
 */
export function resolveNetworkFailPolicy(
  mesh: NetworkFailPolicyConfig | undefined,
  service?: NetworkFailPolicyConfig,
): NetworkFailPolicy {
  const { policy = 'FAIL_OPEN', maxRetry = 0, baseRetryWait, maxRetryWait } = service ?? mesh ?? {};
  return {
    policy,
    maxRetry,
    baseRetryWaitMs: clientDurationMs(baseRetryWait, DEFAULT_BASE_RETRY_WAIT_MS),
    maxRetryWaitMs: clientDurationMs(maxRetryWait, DEFAULT_MAX_RETRY_WAIT_MS),
  };
}
