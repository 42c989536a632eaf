import type { Clock } from '../base/clock.js';

/**
 * Runs a bounded number of works at once; the others wait. Works have a key, such as their caller's address: keys take
 * turns, so that a key with many works delays its own, not those of others.
 */
export interface ConcurrencyLimiter {
  /** @throws OverloadError when no place is left for it, or its turn does not come in time */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

export interface ConcurrencyLimits {
  readonly maxConcurrent: number;
  /** Of one key; default: as many as in all. Below that some are free for other keys, however slow each work is. */
  readonly maxConcurrentPerKey?: number;
  /** In all. When they are taken, the key with most of them loses its oldest. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** Work that was not begun, because there was too much of it. It can be asked for again. */
export class OverloadError extends Error {
  readonly reason: 'queue full' | 'waited too long';

  constructor(reason: OverloadError['reason'], message: string) {
    super(message);
    this.name = 'OverloadError';
    this.reason = reason;
  }
}

interface Waiter {
  enter(): void;
  refuse(error: OverloadError): void;
}

export function createConcurrencyLimiter(limits: ConcurrencyLimits, clock: Clock): ConcurrencyLimiter {
  const { maxConcurrent, maxWaiting, maxWaitMs, maxConcurrentPerKey = maxConcurrent } = limits;
  const running = new Map<string, number>();
  // Keys in the order of their turns. The sets keep the order of arrival, and drop a waiter from the middle.
  const waiting = new Map<string, Set<Waiter>>();
  let runningInAll = 0;
  let waitingInAll = 0;

  const hasRoom = (key: string): boolean =>
    runningInAll < maxConcurrent && (running.get(key) ?? 0) < maxConcurrentPerKey;

  const take = (key: string): void => {
    runningInAll++;
    running.set(key, (running.get(key) ?? 0) + 1);
  };

  const drop = (key: string, waiter: Waiter): void => {
    const those = waiting.get(key);
    if (those?.delete(waiter) !== true) return;
    waitingInAll--;
    if (those.size === 0) waiting.delete(key);
  };

  const shedFor = (key: string): void => {
    let longest = key;
    for (const [other, those] of waiting) {
      if (those.size > (waiting.get(longest)?.size ?? 0)) longest = other;
    }
    const error = new OverloadError('queue full', `${waitingInAll} wait already`);
    const [oldest] = waiting.get(longest) ?? [];
    if (longest === key || oldest === undefined) throw error;
    drop(longest, oldest);
    oldest.refuse(error);
  };

  const turn = (key: string): Promise<void> | undefined => {
    if (hasRoom(key)) {
      take(key);
      return undefined;
    }
    if (waitingInAll >= maxWaiting) shedFor(key);
    return new Promise((resolve, reject) => {
      const cancelTimeout = clock.schedule(maxWaitMs, () => {
        drop(key, waiter);
        reject(new OverloadError('waited too long', `its turn did not come within ${maxWaitMs / 1000}s`));
      });
      const waiter: Waiter = {
        enter: () => {
          cancelTimeout();
          resolve();
        },
        refuse: (error) => {
          cancelTimeout();
          reject(error);
        },
      };
      waiting.set(key, (waiting.get(key) ?? new Set()).add(waiter));
      waitingInAll++;
    });
  };

  /** The first key in turn that may run more goes to the end of the line. */
  const admitNext = (): void => {
    for (const [key, those] of waiting) {
      if (!hasRoom(key)) continue;
      const [first] = those;
      if (first === undefined) continue;
      drop(key, first);
      if (waiting.delete(key)) waiting.set(key, those);
      take(key);
      first.enter();
      return;
    }
  };

  const leave = (key: string): void => {
    runningInAll--;
    const left = (running.get(key) ?? 1) - 1;
    if (left === 0) running.delete(key);
    else running.set(key, left);
    admitNext();
  };

  return {
    run: async (key, work) => {
      await turn(key);
      try {
        return await work();
      } finally {
        leave(key);
      }
    },
  };
}
