/** The load of the server in a period. */
export interface LoadWindow {
  /** The part of it in which the event loop worked, from 0 to 1. */
  readonly use: number;
  /** Processor time of the process. Unlike the loop's time it does not grow when other processes have the processor. */
  readonly cpuMs: number;
  /** The number of checks, including shed ones. */
  readonly checks: number;
  readonly durationMs: number;
  /** Its end, by the monotonic clock. */
  readonly nowMs: number;
}

/** The share of shed checks that gives the event loop pauses again. */
export interface ShedControl {
  /** From 0 to 1. */
  readonly share: number;
  /** @param shedAfterMs how long the loop must be busy without a pause before checks are shed */
  observe(window: LoadWindow, shedAfterMs: number): void;
}

/** Above it, the loop has no pause: checks wait in sockets and at proxies. */
const FULL_USE = 0.95;
/** Below it, the loop has time for more checks. */
const EASED_USE = 0.85;
const STEP_UP = 0.1;
const STEP_DOWN = 0.05;
/**
 * A shed check needs half the time of a decided one, because the transport needs most of it. With this share, decisions
 * get more than half of the time at any load.
 */
const MAX_SHARE = 0.6;
/**
 * If the largest share makes no pauses, the server does nothing but send answers, and each shed check takes time from
 * others. Then fewer checks are shed for a while, and the limits of proxies bound the queue.
 */
const GIVE_UP_AFTER_MS = 1000;
const GIVEN_UP_SHARE = 0.2;
const GIVE_UP_FOR_MS = 10_000;
/** Windows with fewer checks do not show the cost of a check. */
const MIN_CHECKS = 20;
/** At a lower rate, the process lacks processor time, and shedding would not help. */
const MIN_PER_MS = 0.5;
/** The growth of the estimated cost of a check from window to window: a check is cheapest when many come at once. */
const COST_GROWTH = 1.002;
/** Below this part of the processor time, other work keeps the loop busy, for example a push. */
const CHECKS_PART = 0.5;

/** Raises the share while checks keep the loop busy, and lowers it when there are pauses. */
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
