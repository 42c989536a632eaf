import { createRunningClock } from './running-clock.js';

export interface Stopwatch {
  /** Milliseconds since the start for which this process was scheduled. */
  stop(): number;
}

/** Measures once, by a running clock, how long others take to do something. */
export function startStopwatch(): Stopwatch {
  const clock = createRunningClock();
  return {
    stop: () => {
      clock.stop();
      return clock.nowMs();
    },
  };
}
