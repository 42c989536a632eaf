const TICK_MS = 20;
/** A shorter gap between two ticks is work of this process. */
const STANDSTILL_MS = 250;

/** A clock that stands still while its process does. */
export interface RunningClock {
  nowMs(): number;
  stop(): void;
}

/**
 * Measures the waits of users in this process. While it does not run, because the machine stands still or other programs
 * have its processors, no user waits for the server, and no answer of the server can be taken.
 */
export function createRunningClock(): RunningClock {
  let stoodStillMs = 0;
  let lastMs = performance.now();
  const look = (): number => {
    const now = performance.now();
    const gapMs = now - lastMs - TICK_MS;
    if (gapMs >= STANDSTILL_MS) stoodStillMs += gapMs;
    lastMs = now;
    return now - stoodStillMs;
  };
  const timer = setInterval(look, TICK_MS);
  return { nowMs: look, stop: () => clearInterval(timer) };
}
