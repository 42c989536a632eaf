import type { QuotaWindow } from '../../src/config/policy-server/policy-server-config.js';
import type { CounterCharge, QuotaStore, StoreAnswer } from '../../src/policy/quota/quota-store.js';
import { windowShape } from '../../src/policy/quota/window-shape.js';

export interface ChargeOptions {
  readonly key?: string;
  readonly group?: string;
  readonly amount?: number;
  readonly bestEffort?: boolean;
  readonly maxAmount?: number;
  readonly window?: QuotaWindow;
  readonly durationMs?: number;
  readonly isRefundable?: boolean;
}

/** A charge of 1 to a rolling minute that lets 10 through, unless told otherwise. */
export function chargeOf(options: ChargeOptions = {}): CounterCharge {
  const { key = '', group = 'g', amount = 1, bestEffort = false, maxAmount = 10 } = options;
  const { window = 'rolling', durationMs = 60_000, isRefundable } = options;
  const counter = { group, key, shape: windowShape(window, durationMs) };
  return { counter, amount, bestEffort, maxAmount, ...(isRefundable && { isRefundable }) };
}

export async function chargeStore(
  store: QuotaStore,
  charges: readonly CounterCharge[],
  repetitionKey?: string,
): Promise<StoreAnswer> {
  return store.charge({ charges, repetitionKey, timeoutMs: 5000 });
}

/** Charges once and returns the granted amounts. */
export async function grantedBy(store: QuotaStore, options: ChargeOptions = {}): Promise<number> {
  const { results } = await chargeStore(store, [chargeOf(options)]);
  return results[0]?.granted ?? Number.NaN;
}
