/** Limits comparisons, so that specs with thousands of rules cannot delay an analysis. */
export interface ComparisonBudget {
  /** Takes one comparison; false from the first call beyond the limit. */
  spend(): boolean;
  readonly exhausted: boolean;
}

export function createComparisonBudget(limit: number): ComparisonBudget {
  let left = limit;
  let exhausted = false;
  return {
    spend: () => {
      if (left > 0) left--;
      else exhausted = true;
      return !exhausted;
    },
    get exhausted() {
      return exhausted;
    },
  };
}
