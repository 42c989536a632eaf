import type { Clock } from './clock.js';
import { addCount } from './key-counts.js';

/**
 * Limits how many works run at once; the others wait. Each work has a key, such as the address of its caller. Keys take
 * turns, so many works of one key delay only that key.
 */
export interface ConcurrencyLimiter {
  /** @throws OverloadError when too many works wait, or the work waits too long */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

export interface ConcurrencyLimits {
  readonly maxConcurrent: number;
  /**
   * Concurrent works of one key. Default: `maxConcurrent`. A smaller value keeps places free for other keys, however
   * slow each work is.
   */
  readonly maxConcurrentPerKey?: number;
  /** Waiting works of all keys. Beyond it, the key with most waiting works loses its oldest one. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** The work was not started because of overload. The caller may retry. */
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
  // Keys in the order of their turns. Each set keeps the order of arrival and can drop any waiter.
  const waiting = new Map<string, Set<Waiter>>();
  let runningInAll = 0;
  let waitingInAll = 0;

  const hasRoom = (key: string): boolean =>
    runningInAll < maxConcurrent && (running.get(key) ?? 0) < maxConcurrentPerKey;

  const take = (key: string): void => {
    runningInAll++;
    addCount(running, key, 1);
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
    const error = new OverloadError('queue full', `${waitingInAll} are waiting already`);
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

  /** Admits a waiter of the first key in turn that has room, and moves that key to the end of the line. */
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
    addCount(running, key, -1);
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
