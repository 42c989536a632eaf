import type { Clock } from '../../../base/clock.js';
import type { RefundOffer } from '../../client/check-flow.js';
import type { ChargedDemand } from '../charge-quotas.js';
import type { QuotaMetrics } from '../quota-metrics.js';
import type { QuotaStore } from '../quota-store.js';
import { joinCodes } from './refund-codes.js';
import { REFUND_MS, readTicket, refundedCharges, type TicketCharge, ticketIdOf, writeTicket } from './refund-ticket.js';

/** Offers refunds to requests that charged, and makes them when reports ask. */
export interface Refunds {
  /**
   * The offer for a request that was charged; undefined where nothing of it may be given back. A store in this process
   * answers without a promise.
   */
  offer(
    charged: readonly ChargedDemand[],
    deduplicationId: string,
    store: QuotaStore,
  ): RefundOffer | undefined | Promise<RefundOffer | undefined>;
  /** Gives back what the response code of a request allows. Never throws. */
  redeem(refund: { readonly ticket: string; readonly responseCode: number }, store: QuotaStore): void;
}

/** Refunds that wait for the store at the same time. */
const MAX_WAITING = 1000;

export function createRefunds(clock: Pick<Clock, 'now'>, metrics: QuotaMetrics): Refunds {
  let waiting = 0;
  const nowMs = (): number => clock.now().getTime();

  const failed = (store: QuotaStore, error: unknown): undefined => {
    metrics.storeFailed(store.type, error);
    return undefined;
  };
  const redeemNow = async (ticket: string, responseCode: number, store: QuotaStore): Promise<void> => {
    const read = readTicket(ticket, await store.refundSecret());
    if (read === undefined) metrics.refund('forged');
    else if (read.untilMs < nowMs()) metrics.refund('expired');
    else {
      const charges = refundedCharges(read, responseCode);
      if (charges.length > 0) metrics.refund(await store.refund({ id: read.id, charges }));
    }
  };

  return {
    offer: (charged, deduplicationId, store) => {
      const charges = deduplicationId === '' ? [] : charged.flatMap(ticketCharge);
      if (charges.length === 0) return undefined;
      const codes = joinCodes(charges.map((charge) => charge.codes));
      const write = (secret: string): RefundOffer => {
        const ticket = { id: ticketIdOf(deduplicationId), untilMs: nowMs() + REFUND_MS, charges };
        return { codes, ticket: writeTicket(ticket, secret) };
      };
      const secret = store.refundSecret();
      // The request is charged. Without the secret it cannot be given back, and passes.
      return typeof secret === 'string' ? write(secret) : secret.then(write, (error) => failed(store, error));
    },
    redeem: ({ ticket, responseCode }, store) => {
      if (waiting >= MAX_WAITING) {
        metrics.refund('dropped');
        return;
      }
      waiting++;
      redeemNow(ticket, responseCode, store)
        .catch((error: unknown) => {
          failed(store, error);
          metrics.refund('failed');
        })
        .finally(() => waiting--);
    },
  };
}

function ticketCharge({ demand, limit, result }: ChargedDemand): readonly TicketCharge[] {
  const { refundCodes: codes } = demand;
  const { ref, granted: amount } = result;
  if (codes === undefined || ref === undefined) return [];
  return [{ ref, amount, maxAmount: limit.maxAmount, shape: limit.counter.shape, codes }];
}
