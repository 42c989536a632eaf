/** Tells which checks are shed, so that those of peers that send most go first. */
export interface FairShedding {
  /** Counts a check, and tells how likely it should be shed: from 0 to 1. */
  chanceOf(peer: string): number;
  /** Begins the next stretch of time. @param share of all checks that is to be shed in it */
  next(share: number): void;
}

/** A stretch with fewer checks tells nothing about who sends most: it is taken together with the next. */
const MIN_CHECKS = 50;
/** Further peers of one stretch count as one. */
const MAX_PEERS = 20_000;
const OTHERS = '';

/**
 * All peers get the same: so much that the given share of what came in the last stretch is above it. Of a peer's checks
 * only those above it are shed, so that one that sends little loses none, however much others send.
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

/** How much each may have, so that the given part of the sum is above it. */
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
