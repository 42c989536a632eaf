import type { ReceiptUse } from '../handlers/policy-handler.js';
import {
  isReceiptId,
  keptId,
  NOTHING_PAID,
  type PaidAmounts,
  readReceipt,
  receiptIdOf,
  receiptText,
} from './charge-receipts.js';
import type { QuotaMetrics } from './quota-metrics.js';
import type { CounterCharge, QuotaStore, StoreAnswer } from './quota-store.js';

interface ReceiptRequest {
  /** Equal for all attempts at one request; empty for a request that is not repeated. */
  readonly deduplicationId: string;
  readonly receipt?: ReceiptUse | undefined;
}

interface ReceiptParts {
  readonly store: QuotaStore;
  readonly metrics: QuotaMetrics;
}

/**
 * What the receipt of the request covers.
 *
 * @throws PolicyTransportError when the store cannot be reached
 */
export function paidBy(
  { receipt, deduplicationId }: ReceiptRequest,
  { store, metrics }: ReceiptParts,
): PaidAmounts | Promise<PaidAmounts> {
  // Without an id, the attempts at this request cannot be told from other requests with the same receipt.
  if (receipt?.type !== 'redeem' || deduplicationId === '' || !isReceiptId(receipt.receipt)) return NOTHING_PAID;
  const read = (text: string | undefined): PaidAmounts => {
    metrics.receipt(text === undefined ? 'unknown' : 'redeemed');
    return text === undefined ? NOTHING_PAID : readReceipt(text);
  };
  const taken = store.takeReceipt(keptId(receipt.receipt, receipt), deduplicationId);
  if (!(taken instanceof Promise)) return read(taken);
  return taken.then(read, (error: unknown) => {
    metrics.storeFailed(store.type, error);
    throw error;
  });
}

/**
 * Keeps a receipt of a request that was charged.
 *
 * @param quotas of the charges, in their order
 * @returns its id; undefined without a receipt
 */
export function issueReceipt(
  { receipt, deduplicationId }: ReceiptRequest,
  { results, isRepetition }: StoreAnswer,
  charges: readonly CounterCharge[],
  quotas: readonly string[],
  { store, metrics }: ReceiptParts,
): string | undefined | Promise<string | undefined> {
  if (receipt?.type !== 'issue' || deduplicationId === '') return undefined;
  if (!results.every(({ isCharged }) => isCharged)) return undefined;
  const id = receiptIdOf(deduplicationId);
  if (isRepetition) return id;
  metrics.receipt('issued');
  const kept = store.keepReceipt(keptId(id, receipt), receiptText(charges, quotas, receipt.scope));
  if (!(kept instanceof Promise)) return id;
  return kept.then(
    () => id,
    (error: unknown) => {
      // The quotas are charged. Without a receipt, the proxy of the service charges them again.
      metrics.storeFailed(store.type, error);
      return undefined;
    },
  );
}
