import { createBackoff } from '../../../base/backoff.js';
import type { Clock } from '../../../base/clock.js';

/** Spares calls to a server that takes connections and does not answer. */
export interface CircuitBreaker {
  /** Whether a call may be sent. Of those that ask while the server does not answer, one at a time may. */
  admits(): boolean;
  /** The server has answered. */
  answered(): void;
  /** A call had no answer within its deadline. @returns whether calls are spared now */
  missed(): boolean;
  /** There is a new connection, which may be tried at once. */
  reconnected(): void;
}

/** Calls without an answer in a row. */
const MISSED_CALLS = 3;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

export function createCircuitBreaker(clock: Clock, random: () => number): CircuitBreaker {
  const backoff = createBackoff({ initialMs: FIRST_WAIT_MS, maxMs: MAX_WAIT_MS, random });
  let missedCalls = 0;
  let nextTrialMs = 0;
  return {
    admits: () => {
      if (missedCalls < MISSED_CALLS) return true;
      if (clock.monotonicMs() < nextTrialMs) return false;
      nextTrialMs = clock.monotonicMs() + backoff.nextMs();
      return true;
    },
    answered: () => {
      missedCalls = 0;
      backoff.reset();
    },
    missed: () => {
      missedCalls++;
      if (missedCalls === MISSED_CALLS) nextTrialMs = clock.monotonicMs() + backoff.nextMs();
      return missedCalls >= MISSED_CALLS;
    },
    reconnected: () => {
      nextTrialMs = 0;
    },
  };
}
