import type { Clock } from './clock.js';
import { createConcurrencyLimiter } from './concurrency-limiter.js';
import type { Steps } from './steps.js';

/** Runs computations of many owners, one after the other, with pauses in which all other work is done. */
export interface BackgroundLane {
  /**
   * @param owner owners take turns
   * @throws OverloadError when too many computations wait, or this one waits too long; the error of the computation
   */
  run<Result>(owner: string, steps: Steps<Result>): Promise<Result>;
}

/** Time without a pause. One step may take longer. */
const SLICE_MS = 2;
const MAX_WAITING = 10_000;
const MAX_WAIT_MS = 10 * 60_000;

/** @param share of the time that computations may take, for example 0.1 */
export function createBackgroundLane(clock: Clock, share: number): BackgroundLane {
  const limiter = createConcurrencyLimiter(
    { maxConcurrent: 1, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS },
    clock,
  );
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.schedule(ms, resolve));
  const runInSlices = async <Result>(steps: Steps<Result>): Promise<Result> => {
    for (;;) {
      const startMs = clock.monotonicMs();
      const elapsedMs = (): number => clock.monotonicMs() - startMs;
      try {
        let step = steps.next();
        while (step.done !== true && elapsedMs() < SLICE_MS) step = steps.next();
        if (step.done === true) return step.value;
      } finally {
        // Also after the last slice: the next computation follows at once.
        await pause(elapsedMs() * (1 / share - 1));
      }
    }
  };
  return { run: (owner, steps) => limiter.run(owner, () => runInSlices(steps)) };
}
