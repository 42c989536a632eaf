/** Labels that come from peers: so many at a time have a series, and the others share one. */
export interface BoundedLabels {
  /** One more peer has the label. @returns the label that it is counted under */
  begin(label: string): string;
  /** @returns the label that such a peer was counted under */
  end(label: string): string;
}

/**
 * @param most labels of their own
 * @param other stands for those beyond
 */
export function createBoundedLabels(most: number, other: string): BoundedLabels {
  const own = new Map<string, number>();
  const beyond = new Map<string, number>();
  return {
    begin: (label) => {
      const hasOwn = own.has(label) || own.size < most;
      change(hasOwn ? own : beyond, label, 1);
      return hasOwn ? label : other;
    },
    end: (label) => {
      // Which of two equal peers leaves makes no difference to the sums.
      const isBeyond = beyond.has(label);
      change(isBeyond ? beyond : own, label, -1);
      return isBeyond ? other : label;
    },
  };
}

function change(counts: Map<string, number>, label: string, by: number): void {
  const count = (counts.get(label) ?? 0) + by;
  if (count <= 0) counts.delete(label);
  else counts.set(label, count);
}
