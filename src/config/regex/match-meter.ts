/**
 * Limits the time of matching one request. A unit is the work of one instruction for one character: at most 17 ns, measured
 * with expressions that keep all their instructions busy and reach new states only. Ordinary expressions take a thousandth
 * of that for texts that they have matched before.
 */
export interface MatchMeter {
  /** Whether a match was refused because the work was used up. */
  readonly isExceeded: boolean;
  /** Takes work from the meter. False if less is left; the caller must not match then. */
  spend(work: number): boolean;
}

/** At most 0.3 s: 900 characters with 18,000 instructions, which is 1,000 ordinary expressions. */
const MAX_MATCH_WORK = 16_000_000;

export function createMatchMeter(maxWork = MAX_MATCH_WORK): MatchMeter {
  return new CountingMeter(maxWork);
}

/**
 * A class, because each request has a meter: for an object literal with a getter, V8 makes a hidden class of its own, which
 * costs 2 us and fills the old heap until a full collection.
 */
class CountingMeter implements MatchMeter {
  isExceeded = false;
  #left: number;

  constructor(maxWork: number) {
    this.#left = maxWork;
  }

  spend(work: number): boolean {
    if (work > this.#left) {
      this.isExceeded = true;
      return false;
    }
    this.#left -= work;
    return true;
  }
}
