import { Worker } from 'node:worker_threads';
import { monotonicMs } from '../measure/monotonic-clock.js';

/** Waits for moments that are less than a millisecond apart, which timers cannot, without turning the event loop. */
export interface Pacemaker {
  /** Settles at the moment, or soon after; at once when it is past. One wait at a time. */
  until(dueMs: number): Promise<void>;
  close(): Promise<void>;
}

/** A thread that sleeps for the load generator. The sending thread may sleep only where responses wake it. */
export function createPacemaker(): Pacemaker {
  const worker = new Worker(new URL('./pacemaker-thread.js', import.meta.url));
  worker.unref();
  return {
    until: (dueMs) => {
      const waitMs = dueMs - monotonicMs();
      if (waitMs <= 0) return new Promise(setImmediate);
      return new Promise((resolve, reject) => {
        worker.ref();
        worker.once('error', reject);
        worker.once('message', () => {
          worker.off('error', reject);
          worker.unref();
          resolve();
        });
        worker.postMessage(waitMs);
      });
    },
    close: async () => {
      await worker.terminate();
    },
  };
}
