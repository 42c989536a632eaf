/** Counts times in buckets of which each is a tenth larger than the one before: quantiles are right within 10 %. */
export class TimeHistogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** @param ms at least 0 */
  add(ms: number): void {
    const bucket = ms <= LEAST_MS ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / LEAST_MS) / LOG_GROWTH));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total++;
  }

  merge(other: TimeHistogram): void {
    for (const [bucket, count] of other.#counts.entries()) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    }
    this.#total += other.#total;
  }

  /** @returns the upper bound of the bucket with the quantile, in milliseconds; undefined if nothing was counted */
  quantile(part: number): number | undefined {
    if (this.#total === 0) return undefined;
    let left = Math.ceil(part * this.#total);
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return LEAST_MS * GROWTH ** bucket;
    }
    return undefined;
  }
}

const LEAST_MS = 0.1;
const GROWTH = 1.1;
const LOG_GROWTH = Math.log(GROWTH);
/** The last bucket begins at about seven minutes. */
const BUCKETS = 160;
