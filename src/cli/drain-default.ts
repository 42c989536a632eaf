import type { CommonFlags } from '../bootstrap/options.js';
import { isInCluster } from './loopback-defaults.js';
import type { ReadSettings } from './settings/read-settings.js';

/**
 * Outside a cluster, no load balancer looks at readiness and takes callers elsewhere, so the server stops at once unless
 * --drainTime is given.
 */
export function withDrainDefault(
  { fields, explicit }: Pick<ReadSettings<CommonFlags>, 'fields' | 'explicit'>,
  variables: Readonly<Record<string, string | undefined>>,
): CommonFlags {
  return isInCluster(variables) || explicit.includes('--drainTime') ? fields : { ...fields, drainTimeMs: 0 };
}
