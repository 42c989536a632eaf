import type { Metrics } from '../../telemetry/metrics.js';
import { PolicyTransportError } from '../client/policy-transport.js';
import type { ChargeResult, QuotaStore, RefundOutcome } from './quota-store.js';

/** Metrics of quota counting. Quota names come from the configuration, never from a caller. */
export interface QuotaMetrics {
  charged(quota: string, amount: number, result: ChargeResult): void;
  /** A limit of a plan was charged. @param limit name of the plan and of the limit, with a space between them */
  chargedPlan(limit: string, amount: number, result: ChargeResult): void;
  /** A request was given back, or not. */
  refund(result: RefundResult): void;
  /** A quota without a limit was charged. */
  undefinedCharged(): void;
  /** A request with an unknown key was refused. */
  unknownKey(quota: string): void;
  /** A receipt was given to a router, or came with a request. `unknown`: it was used before, is old, or is invented. */
  receipt(result: 'issued' | 'redeemed' | 'unknown'): void;
  storeFailed(store: QuotaStore['type'], error: unknown): void;
}

/**
 * `forged`: no server that shares the store has written the ticket. `failed`: the store could not be reached. `dropped`:
 * too many refunds waited for the store.
 */
export type RefundResult = RefundOutcome | 'forged' | 'failed' | 'dropped';

/** Plans with a series of their own. Tenants write them. */
const MAX_PLANS = 500;

export function createQuotaMetrics(metrics: Metrics): QuotaMetrics {
  const plans = new Set<string>();
  const planLabel = (limit: string): string => {
    const plan = limit.slice(0, limit.indexOf(' '));
    if (plans.size < MAX_PLANS) plans.add(plan);
    return plans.has(plan) ? plan : 'other';
  };
  return {
    charged: (quota, amount, result) => {
      metrics.increment('policy_server_quota_charges_total', { quota, result: resultLabel(amount, result) });
      if (result.evicted) metrics.increment('policy_server_quota_evicted_counters_total', { quota }, result.evicted);
    },
    chargedPlan: (limit, amount, result) => {
      metrics.increment('policy_server_plan_charges_total', {
        plan: planLabel(limit),
        result: resultLabel(amount, result),
      });
    },
    refund: (result) => metrics.increment('policy_server_quota_refunds_total', { result }),
    undefinedCharged: () => metrics.increment('policy_server_quota_undefined_charges_total'),
    unknownKey: (quota) => metrics.increment('policy_server_quota_unknown_keys_total', { quota }),
    receipt: (result) => metrics.increment('policy_server_quota_receipts_total', { result }),
    storeFailed: (store, error) => {
      const failure = error instanceof PolicyTransportError ? error.failure : 'other';
      metrics.increment('policy_server_store_errors_total', { store, failure });
    },
  };
}

function resultLabel(amount: number, { granted, isCharged }: ChargeResult): string {
  if (granted === 0) return 'refused';
  if (!isCharged) return 'withheld';
  return granted < amount ? 'partial' : 'granted';
}
