/** Counts comparisons, so that specs of thousands of rules cannot hold anything up. */
export interface ComparisonBudget {
  /** Whether one more may be made; says no for ever once it has. */
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
