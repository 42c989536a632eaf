/** A machine that does other things as well stops a process for longer than this now and then. */
const LONGEST_STEP_MS = 100;
const TICK_MS = 10;

export interface Stopwatch {
  /** Milliseconds since the start in which this process ran. */
  stop(): number;
}

/** Measures how long others take to do something. Time in which the machine stands still does not count. */
export function startStopwatch(): Stopwatch {
  let lastMs = performance.now();
  let totalMs = 0;
  const tick = (): void => {
    const nowMs = performance.now();
    totalMs += Math.min(nowMs - lastMs, LONGEST_STEP_MS);
    lastMs = nowMs;
  };
  const ticking = setInterval(tick, TICK_MS);
  return {
    stop: () => {
      clearInterval(ticking);
      tick();
      return totalMs;
    },
  };
}
