import { OK_STATUS } from '../../client/policy-status.js';
import type { Adapter } from './adapter.js';

/** Allows all and grants all. */
export function buildNoop(): Adapter {
  return {
    check: () => ({ status: OK_STATUS }),
    quota: (_, { amount }) => ({ grantedAmount: amount }),
    report: () => undefined,
    close: async () => undefined,
  };
}
