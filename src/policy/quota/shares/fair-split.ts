/** How an amount is divided among demands: max-min fairness. */
export interface FairSplit {
  /** The part of a demand. */
  partOf(demand: number): number;
}

/**
 * Each demand is met as far as the smaller ones leave room; larger demands get equal parts. What no demand needs is divided
 * equally, so that a rising demand finds some.
 *
 * @param demands infinite for one that is not known: it counts as an equal part of the amount
 */
export function splitFairly(amount: number, demands: readonly number[]): FairSplit {
  const equal = demands.length === 0 ? amount : amount / demands.length;
  const known = (demand: number): number => (demand === Number.POSITIVE_INFINITY ? equal : demand);
  const sorted = demands.map(known).sort((first, second) => first - second);
  let rest = amount;
  for (const [index, demand] of sorted.entries()) {
    const others = sorted.length - index;
    if (demand * others > rest) {
      const level = rest / others;
      return { partOf: (own) => Math.min(known(own), level) };
    }
    rest -= demand;
  }
  const surplus = sorted.length === 0 ? rest : rest / sorted.length;
  return { partOf: (own) => known(own) + surplus };
}
