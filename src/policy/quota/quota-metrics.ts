import type { Metrics } from '../../telemetry/metrics.js';
import { PolicyTransportError } from '../client/policy-transport.js';
import type { ChargeResult, QuotaStore } from './quota-store.js';

/** Metrics of quota counting. Quota names come from the configuration, never from a caller. */
export interface QuotaMetrics {
  charged(quota: string, amount: number, result: ChargeResult): void;
  /** A quota without a limit was charged. */
  undefinedCharged(): void;
  /** A request with an unknown key was refused. */
  unknownKey(quota: string): void;
  /** A receipt was given to a router, or came with a request. `unknown`: it was used before, is old, or is invented. */
  receipt(result: 'issued' | 'redeemed' | 'unknown'): void;
  storeFailed(store: QuotaStore['type'], error: unknown): void;
}

export function createQuotaMetrics(metrics: Metrics): QuotaMetrics {
  return {
    charged: (quota, amount, result) => {
      metrics.increment('policy_server_quota_charges_total', { quota, result: resultLabel(amount, result) });
      if (result.evicted) metrics.increment('policy_server_quota_evicted_counters_total', { quota }, result.evicted);
    },
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
