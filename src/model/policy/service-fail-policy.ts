import type { NetworkFailPolicy } from '../../config/policy/transport-config.js';

/**
 * The network fail policy that annotations give a service (SPEC 2.11, `networkFailPolicy`). Absent fields are those of
 * the mesh config.
 */
export interface ServiceFailPolicy {
  readonly policy?: NetworkFailPolicy['policy'];
  readonly maxRetry?: number;
  /** At least 1, in whole milliseconds. */
  readonly baseRetryWaitMs?: number;
  readonly maxRetryWaitMs?: number;
}
