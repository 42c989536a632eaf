import type { Clock } from '../base/clock.js';

/** A timer of Node waits at most 24.8 days, certificates last longer, and the wall clock may be set. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Calls back once when the wall clock reaches a time, however far away. @returns a function that cancels it. */
export function scheduleAt(clock: Clock, time: Date, callback: () => void): () => void {
  let cancel = (): void => undefined;
  const wait = (): void => {
    const waitMs = Math.max(0, time.getTime() - clock.now().getTime());
    cancel = clock.schedule(Math.min(waitMs, LONGEST_WAIT_MS), waitMs <= LONGEST_WAIT_MS ? callback : wait);
  };
  wait();
  return () => cancel();
}
