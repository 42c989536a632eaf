/**
 * Bounds the time of matching one request. A unit is the work of one instruction for one character: 17 ns at the very
 * worst, measured with expressions that keep all of their instructions busy and every state new. Texts that ordinary
 * expressions have met before take a thousandth of that.
 */
export interface MatchMeter {
  /** Whether something was left unmatched because it would have taken too long. */
  readonly isExceeded: boolean;
  /** False, and to be left unmatched, when so much work is not left. */
  spend(work: number): boolean;
}

/** At worst 0.3 s: 900 characters with 18,000 instructions, that is with a thousand ordinary expressions. */
const MAX_MATCH_WORK = 16_000_000;

export function createMatchMeter(maxWork = MAX_MATCH_WORK): MatchMeter {
  let left = maxWork;
  let isExceeded = false;
  return {
    get isExceeded() {
      return isExceeded;
    },
    spend: (work) => {
      if (work > left) {
        isExceeded = true;
        return false;
      }
      left -= work;
      return true;
    },
  };
}
