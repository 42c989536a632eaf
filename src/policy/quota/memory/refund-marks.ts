import type { Clock } from '../../../base/clock.js';

export interface RefundMarksOptions {
  readonly clock: Clock;
  /** How long a mark is kept, in milliseconds. */
  readonly keptMs: number;
  readonly maxMarks: number;
}

/** The requests that have been refunded. */
export interface RefundMarks {
  /** Marks the request. @returns false if it has a mark, or no mark is free: a lost mark would allow a second refund */
  mark(id: string): boolean;
}

/** Keeps marks in the order in which they expire. */
export function createRefundMarks({ clock, keptMs, maxMarks }: RefundMarksOptions): RefundMarks {
  const marks = new Map<string, number>();
  return {
    mark: (id) => {
      const nowMs = clock.monotonicMs();
      for (const [oldest, untilMs] of marks) {
        if (untilMs > nowMs) break;
        marks.delete(oldest);
      }
      if (marks.has(id) || marks.size >= maxMarks) return false;
      marks.set(id, nowMs + keptMs);
      return true;
    },
  };
}
