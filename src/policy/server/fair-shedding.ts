/** Selects the checks to shed: those of the peers with most checks go first. */
export interface FairShedding {
  /** Counts a check, and returns the probability of shedding it: from 0 to 1. */
  chanceOf(peer: string): number;
  /** Begins the next period. @param share of all checks to shed in it */
  next(share: number): void;
}

/** A period with fewer checks is joined with the next one, because it does not show the busiest peers. */
const MIN_CHECKS = 50;
/** Further peers of a period are counted together. */
const MAX_PEERS = 20_000;
const OTHERS = '';

/**
 * All peers have the same limit: the number for which the given share of the last period is above it. Only the checks
 * of a peer above the limit are shed, so that a quiet peer loses none, however busy others are.
 */
export function createFairShedding(): FairShedding {
  let counts = new Map<string, number>();
  let last: ReadonlyMap<string, number> = counts;
  let most = Number.POSITIVE_INFINITY;
  let sum = 0;

  return {
    chanceOf(peer) {
      const key = counts.size < MAX_PEERS || counts.has(peer) ? peer : OTHERS;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      sum++;
      if (most === Number.POSITIVE_INFINITY) return 0;
      const before = last.get(key) ?? 0;
      return before > most ? (before - most) / before : 0;
    },
    next(share) {
      if (share === 0) most = Number.POSITIVE_INFINITY;
      else if (sum < MIN_CHECKS) return;
      else most = mostOfEach([...counts.values()], share * sum);
      last = counts;
      counts = new Map();
      sum = 0;
    },
  };
}

/** The limit of each peer for which the given part of the sum is above it. */
function mostOfEach(values: number[], part: number): number {
  values.sort((a, b) => b - a);
  let above = -part;
  for (const [index, value] of values.entries()) {
    above += value;
    const most = above / (index + 1);
    if (most >= (values[index + 1] ?? 0)) return Math.max(most, 0);
  }
  return Number.POSITIVE_INFINITY;
}
