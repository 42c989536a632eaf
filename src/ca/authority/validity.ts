export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * Machines' clocks differ: who receives a certificate a moment after it was made would otherwise often find that it is
 * not valid yet. BEHAVIOUR 4 says "now", which is the same to whoever asks how long a certificate lasts.
 */
const CLOCK_SKEW_MS = 60_000;
const SECOND_MS = 1_000;

/** From a little before now, for so long from now on; in whole seconds, as certificates have them. */
export function validityFrom(now: Date, ttlMs: number): Validity {
  return {
    notBefore: wholeSecond(now.getTime() - CLOCK_SKEW_MS),
    notAfter: wholeSecond(now.getTime() + ttlMs + SECOND_MS - 1),
  };
}

function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / SECOND_MS) * SECOND_MS);
}
