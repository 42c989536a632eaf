const TICK_MS = 20;
/** Beside other programs, a process waits so long for a processor now and then. */
const LONGEST_STEP_MS = 100;

/** A clock that leaves out the time for which this process is not scheduled. */
export interface RunningClock {
  /** Milliseconds since the start, without those left out. */
  nowMs(): number;
  readonly leftOut: LeftOutTime;
  stop(): void;
}

export interface LeftOutTime {
  readonly totalMs: number;
  /** The longest part of it from one look to the next. */
  readonly longestMs: number;
}

/**
 * Measures how long others take to do something. While this process gets no processor time, others may get none either, and
 * it cannot see that they are done. The clock looks every 20 ms, and counts at most 100 ms from one look to the next.
 */
export function createRunningClock(): RunningClock {
  let lastMs = performance.now();
  let countedMs = 0;
  let leftOut: LeftOutTime = { totalMs: 0, longestMs: 0 };
  const look = (): number => {
    const stepMs = performance.now() - lastMs;
    const restMs = Math.max(0, stepMs - LONGEST_STEP_MS);
    lastMs += stepMs;
    countedMs += stepMs - restMs;
    leftOut = { totalMs: leftOut.totalMs + restMs, longestMs: Math.max(leftOut.longestMs, restMs) };
    return countedMs;
  };
  // A failed assertion leaves the clock running.
  const timer = setInterval(look, TICK_MS).unref();
  return {
    nowMs: look,
    get leftOut() {
      look();
      return leftOut;
    },
    stop: () => clearInterval(timer),
  };
}
