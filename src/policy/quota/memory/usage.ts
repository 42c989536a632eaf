/** The number of expired buckets at which they are cut off. */
const CUT_OFF = 16;

/**
 * Amounts by bucket, the oldest first; only buckets with an amount need memory. A class with one array of alternating
 * buckets and amounts, because there can be one for each key of a caller.
 */
export class Usage {
  readonly #entries: number[];
  /** Index of the first entry that has not expired. */
  #first = 0;
  #sum = 0;

  private constructor(entries: number[], sum: number) {
    this.#entries = entries;
    this.#sum = sum;
  }

  static of(bucket: number, amount: number): Usage {
    return new Usage([bucket, amount], amount);
  }

  /** The used amount in the given bucket and later ones. Drops older buckets: later calls must not go back. */
  total(oldest: number): number {
    if ((this.#entries[this.#first] ?? oldest) < oldest) this.#forget(oldest);
    return this.#sum;
  }

  add(bucket: number, amount: number): void {
    const entries = this.#entries;
    const last = entries.length - 2;
    if (entries[last] === bucket) entries[last + 1] = (entries[last + 1] ?? 0) + amount;
    else entries.push(bucket, amount);
    this.#sum += amount;
  }

  /** Takes an amount away from a bucket and later ones, the oldest first. */
  remove(amount: number, from: number): void {
    const entries = this.#entries;
    let rest = amount;
    for (let at = this.#first; at < entries.length && rest > 0; at += 2) {
      if ((entries[at] ?? 0) < from) continue;
      const taken = Math.min(rest, entries[at + 1] ?? 0);
      entries[at + 1] = (entries[at + 1] ?? 0) - taken;
      this.#sum -= taken;
      rest -= taken;
    }
  }

  /** The oldest bucket with an amount; undefined without any. */
  oldest(): number | undefined {
    for (let at = this.#first; at < this.#entries.length; at += 2) {
      if ((this.#entries[at + 1] ?? 0) > 0) return this.#entries[at];
    }
    return undefined;
  }

  /** Takes an amount of a bucket away. */
  takeBack(bucket: number, amount: number): void {
    const entries = this.#entries;
    for (let at = entries.length - 2; at >= this.#first; at -= 2) {
      if (entries[at] !== bucket) continue;
      const taken = Math.min(amount, entries[at + 1] ?? 0);
      entries[at + 1] = (entries[at + 1] ?? 0) - taken;
      this.#sum -= taken;
      return;
    }
  }

  /** The newest bucket with an amount; -Infinity without any. */
  newest(): number {
    return this.#entries.at(-2) ?? Number.NEGATIVE_INFINITY;
  }

  /** The newest bucket that must expire until at most `most` is used; undefined when none must. */
  lastAbove(most: number): number | undefined {
    const entries = this.#entries;
    let left = this.#sum;
    for (let at = this.#first; at < entries.length && left > most; at += 2) {
      left -= entries[at + 1] ?? 0;
      if (left <= most) return entries[at];
    }
    return undefined;
  }

  #forget(oldest: number): void {
    const entries = this.#entries;
    while (this.#first < entries.length && (entries[this.#first] ?? 0) < oldest) {
      this.#sum -= entries[this.#first + 1] ?? 0;
      this.#first += 2;
    }
    if (this.#first < CUT_OFF && this.#first < entries.length) return;
    entries.splice(0, this.#first);
    this.#first = 0;
  }
}
