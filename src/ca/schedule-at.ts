import type { Clock } from '../base/clock.js';

/** Timers of Node wait 24.8 days at most; certificates last longer, and clocks are set. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Calls back once when the wall clock has reached a time, also a far one. @returns cancels. */
export function scheduleAt(clock: Clock, time: Date, callback: () => void): () => void {
  let cancel = (): void => undefined;
  const wait = (): void => {
    const waitMs = Math.max(0, time.getTime() - clock.now().getTime());
    cancel = clock.schedule(Math.min(waitMs, LONGEST_WAIT_MS), waitMs <= LONGEST_WAIT_MS ? callback : wait);
  };
  wait();
  return () => cancel();
}
