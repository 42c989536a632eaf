/** What the server did in a stretch of time. */
export interface LoadWindow {
  /** How much of it the event loop worked, from 0 to 1. */
  readonly use: number;
  /** Processor time of the process. Unlike the loop's time it does not grow when other processes have the processor. */
  readonly cpuMs: number;
  /** Checks that came, shed ones too. */
  readonly checks: number;
  readonly durationMs: number;
  /** Its end, by the monotonic clock. */
  readonly nowMs: number;
}

/** Which share of checks is shed, so that the event loop gets pauses again. */
export interface ShedControl {
  /** From 0 to 1. */
  readonly share: number;
  /** @param shedAfterMs how long the loop must have had no pause before a check is shed */
  observe(window: LoadWindow, shedAfterMs: number): void;
}

/** Above it the loop has no pause: more comes than it can do, and waits in sockets and at proxies. */
const FULL_USE = 0.95;
/** Below it there is room for more checks. */
const EASED_USE = 0.85;
const STEP_UP = 0.1;
const STEP_DOWN = 0.05;
/**
 * A shed check takes half the time of a decided one, for most of it is the transport's: with this share, more than half
 * of the time goes to decisions however many checks come.
 */
const MAX_SHARE = 0.6;
/**
 * When the most that may be shed does not make pauses, sending answers is all that the server can do. Each shed check
 * takes time from others then: fewer are shed for a while, and the limits of proxies bound the queue.
 */
const GIVE_UP_AFTER_MS = 1000;
const GIVEN_UP_SHARE = 0.2;
const GIVE_UP_FOR_MS = 10_000;
/** Windows with fewer checks tell nothing about what a check costs. */
const MIN_CHECKS = 20;
/** At fewer a second the process is short of processor time, which shedding would not give it. */
const MIN_PER_MS = 0.5;
/** By how much the cost of a check may rise from window to window: it is least when many come at once. */
const COST_GROWTH = 1.002;
/** When checks take less of the processor time, something else keeps the loop busy, such as a push. */
const CHECKS_PART = 0.5;

/** Raises the share while the loop is full of checks, and lowers it when there are pauses. */
export function createShedControl(): ShedControl {
  let share = 0;
  let fullMs = 0;
  let mostMs = 0;
  let givenUpUntilMs = Number.NEGATIVE_INFINITY;
  let costMs = Number.POSITIVE_INFINITY;

  const isFullOfChecks = ({ use, checks, cpuMs, durationMs }: LoadWindow): boolean => {
    if (checks < MIN_CHECKS) return false;
    costMs = Math.min(costMs * COST_GROWTH, cpuMs / checks);
    return use >= FULL_USE && checks >= MIN_PER_MS * durationMs && checks * costMs >= cpuMs * CHECKS_PART;
  };

  return {
    get share() {
      return share;
    },
    observe(window, shedAfterMs) {
      const { use, durationMs, nowMs } = window;
      if (!isFullOfChecks(window)) {
        fullMs = 0;
        mostMs = 0;
        if (use < EASED_USE) share = Math.max(0, share - STEP_DOWN);
        if (share < STEP_DOWN / 2) share = 0;
        return;
      }
      fullMs += durationMs;
      if (fullMs < shedAfterMs || nowMs < givenUpUntilMs) return;
      mostMs = share >= MAX_SHARE ? mostMs + durationMs : 0;
      share = Math.min(MAX_SHARE, share + STEP_UP);
      if (mostMs < GIVE_UP_AFTER_MS) return;
      share = GIVEN_UP_SHARE;
      mostMs = 0;
      givenUpUntilMs = nowMs + GIVE_UP_FOR_MS;
    },
  };
}
