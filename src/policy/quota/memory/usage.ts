/** Amounts by bucket, the oldest first; takes memory for buckets in which something was used. */
export interface Usage {
  /** What was used in buckets from the given one on. Forgets older ones: later calls must not go back. */
  total(oldest: number): number;
  add(bucket: number, amount: number): void;
  /** The newest bucket with an amount; -Infinity without any. */
  newest(): number;
  /** The bucket that has to go, with all older ones, until at most `most` is used; undefined when nothing has to. */
  lastAbove(most: number): number | undefined;
  copy(): Usage;
}

/** Forgotten buckets are cut off once there are so many of them. */
const CUT_OFF = 16;

export function createUsage(buckets: number[] = [], amounts: number[] = []): Usage {
  let first = 0;
  let sum = 0;
  for (const amount of amounts) sum += amount;

  const forget = (oldest: number): void => {
    while (first < buckets.length && (buckets[first] ?? 0) < oldest) {
      sum -= amounts[first] ?? 0;
      first++;
    }
    if (first < CUT_OFF && first < buckets.length) return;
    buckets.splice(0, first);
    amounts.splice(0, first);
    first = 0;
  };

  return {
    total: (oldest) => {
      if ((buckets[first] ?? oldest) < oldest) forget(oldest);
      return sum;
    },
    add: (bucket, amount) => {
      const last = buckets.length - 1;
      if (buckets[last] === bucket) amounts[last] = (amounts[last] ?? 0) + amount;
      else {
        buckets.push(bucket);
        amounts.push(amount);
      }
      sum += amount;
    },
    newest: () => buckets.at(-1) ?? Number.NEGATIVE_INFINITY,
    lastAbove: (most) => {
      let left = sum;
      for (let at = first; at < buckets.length && left > most; at++) {
        left -= amounts[at] ?? 0;
        if (left <= most) return buckets[at];
      }
      return undefined;
    },
    copy: () => createUsage(buckets.slice(first), amounts.slice(first)),
  };
}
