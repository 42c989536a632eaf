import type { ReceiptScope, ReceiptUse } from '../handlers/policy-handler.js';
import { digest, sized } from './dimension-text.js';
import type { CounterCharge, CounterId } from './quota-store.js';

/** A charge that a receipt proves. */
interface PaidCharge {
  readonly quota: string;
  amount: number;
  /** The counter that was charged; missing where the receipt holds for all counters of the quota. */
  readonly counter?: string;
}

/** What a receipt still covers, while the charges of one request are compared with it. */
export interface PaidAmounts {
  /** @returns the part of the amount that the receipt does not cover; a covered amount is used up */
  rest(quota: string, counter: CounterId, amount: number): number;
}

export const NOTHING_PAID: PaidAmounts = { rest: (_quota, _counter, amount) => amount };

const ID_LENGTH = 43;

/**
 * The id of the receipt of a request. All attempts at one Check have the same id, also at other servers that share a
 * Redis. It is a hash of Envoy's random number of the stream and its time, so that no other caller knows it.
 */
export function receiptIdOf(deduplicationId: string): string {
  return digest(`receipt ${deduplicationId}`);
}

/** The id under which a store keeps the receipt. */
export function keptId(receiptId: string, { service }: Pick<ReceiptUse, 'service'>): string {
  return `${receiptId} ${service}`;
}

/** A header of another form is no receipt, and is not looked up. */
export function isReceiptId(text: string): boolean {
  return text.length === ID_LENGTH && /^[\w-]+$/.test(text);
}

/** Writes the charges of a request. @param quotas of the charges, in their order */
export function receiptText(charges: readonly CounterCharge[], quotas: readonly string[], scope: ReceiptScope): string {
  const paid = charges.map(({ amount, counter }, index): PaidCharge => {
    const quota = quotas[index] ?? '';
    return scope === 'quotas' ? { quota, amount } : { quota, amount, counter: counterText(counter) };
  });
  return JSON.stringify(paid);
}

/** Reads what `receiptText` has written. */
export function readReceipt(text: string): PaidAmounts {
  const left = JSON.parse(text) as PaidCharge[];
  return {
    rest: (quota, counter, amount) => {
      let open = amount;
      for (const paid of left) {
        if (paid.quota !== quota || (paid.counter !== undefined && paid.counter !== counterText(counter))) continue;
        const used = Math.min(open, paid.amount);
        paid.amount -= used;
        open -= used;
      }
      return open;
    },
  };
}

/** A text of bounded length, in which a store sees no value of a caller. */
function counterText({ group, key }: CounterId): string {
  return digest(sized(group) + key);
}
