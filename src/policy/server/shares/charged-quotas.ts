import type { ServiceConfig } from '../../../config/policy/client-config.js';
import { memoize } from '../../../model/memo.js';

/**
 * The most that a request to a service charges of each quota by fast rules. A proxy must not charge other quotas, or more:
 * it could use up limits that others share.
 */
export const chargedQuotasOf: (config: ServiceConfig) => ReadonlyMap<string, number> = memoize(
  ({ quotaSpec }: ServiceConfig) => {
    const most = new Map<string, number>();
    for (const { enforcement, rules } of quotaSpec) {
      if (enforcement !== 'fast') continue;
      for (const { quota, charge } of rules.flatMap(({ quotas }) => quotas)) {
        if (quota !== undefined) most.set(quota, (most.get(quota) ?? 0) + charge);
      }
    }
    return most;
  },
);
