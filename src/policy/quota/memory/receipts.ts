import type { Clock } from '../../../base/clock.js';
import { boundedText } from '../dimension-text.js';

export interface ReceiptsOptions {
  readonly clock: Clock;
  /** How long a receipt can be taken, in milliseconds. */
  readonly keptMs: number;
  /** With more receipts, the oldest is dropped early. */
  readonly maxReceipts: number;
}

interface Receipt {
  readonly text: string;
  readonly untilMs: number;
  /** Undefined until a request takes it. */
  taker: string | undefined;
}

/** Receipts in this process. */
export interface Receipts {
  keep(id: string, text: string): void;
  /** Returns the text to the first taker only. */
  take(id: string, taker: string): string | undefined;
}

/** Keeps receipts in the order in which they expire, so that the oldest are dropped without a search. */
export function createReceipts({ clock, keptMs, maxReceipts }: ReceiptsOptions): Receipts {
  const receipts = new Map<string, Receipt>();
  const dropOldest = (nowMs: number): void => {
    for (const [id, { untilMs }] of receipts) {
      if (untilMs > nowMs && receipts.size < maxReceipts) return;
      receipts.delete(id);
    }
  };
  return {
    keep: (id, text) => {
      const nowMs = clock.monotonicMs();
      dropOldest(nowMs);
      receipts.delete(id);
      receipts.set(id, { text, untilMs: nowMs + keptMs, taker: undefined });
    },
    take: (id, taker) => {
      const receipt = receipts.get(id);
      if (receipt === undefined || receipt.untilMs <= clock.monotonicMs()) return undefined;
      // A caller chooses the id of its request, which may have megabytes.
      const known = boundedText(taker);
      receipt.taker ??= known;
      return receipt.taker === known ? receipt.text : undefined;
    },
  };
}
