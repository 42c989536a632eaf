import type { Clock } from '../../base/clock.js';
import { createRecencyList } from './recency-list.js';

/** Deadlines of calls that all may take the same time. */
export interface CallDeadlines {
  /**
   * Calls `expire` once the time is over; the returned function prevents that. It may be called again, and after the
   * deadline.
   */
  add(expire: () => void): () => void;
}

interface Deadline {
  readonly dueMs: number;
  readonly expire: () => void;
  isOver: boolean;
}

/**
 * One timer for all calls under way: it runs for the oldest, for they expire in the order in which they begin. Without
 * calls there is none.
 */
export function createCallDeadlines(clock: Clock, timeoutMs: number): CallDeadlines {
  const waiting = createRecencyList<Deadline>();
  let stopTimer: (() => void) | undefined;

  const startTimer = (nowMs: number): void => {
    const oldest = waiting.oldest();
    if (oldest !== undefined) stopTimer = clock.schedule(Math.max(oldest.item.dueMs - nowMs, 0), expireDue);
  };
  const expireDue = (): void => {
    stopTimer = undefined;
    const nowMs = clock.monotonicMs();
    for (let link = waiting.oldest(); link !== undefined && link.item.dueMs <= nowMs; link = waiting.oldest()) {
      waiting.remove(link);
      link.item.isOver = true;
      link.item.expire();
    }
    if (stopTimer === undefined) startTimer(nowMs);
  };

  return {
    add(expire) {
      const nowMs = clock.monotonicMs();
      const link = waiting.add({ dueMs: nowMs + timeoutMs, expire, isOver: false });
      if (stopTimer === undefined) startTimer(nowMs);
      return () => {
        if (link.item.isOver) return;
        link.item.isOver = true;
        waiting.remove(link);
        if (waiting.oldest() !== undefined) return;
        stopTimer?.();
        stopTimer = undefined;
      };
    },
  };
}
