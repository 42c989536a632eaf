/** How a value is spread over the clients of a phase. */
export interface Spread {
  readonly first: number;
  readonly median: number;
  readonly p99: number;
  readonly last: number;
}

/** The value below or at which `percent` of the values lie, by nearest rank; NaN without values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The middle value, or the mean of the two middle ones; NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return {
    first: percentile(values, 0),
    median: median(values),
    p99: percentile(values, 99),
    last: percentile(values, 100),
  };
}

/** A value at a time of the monotonic clock. */
export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/**
 * Average growth per minute: the slope of a straight line through the points (least squares). NaN for fewer than two.
 * The first third is left out, because a heap first grows to the size that the load needs.
 */
export function slopePerMinute(points: readonly Point[]): number {
  const counted = afterWarmUp(points);
  const meanOf = (read: (point: Point) => number): number =>
    counted.reduce((sum, point) => sum + read(point), 0) / counted.length;
  const [meanMs, meanValue] = [meanOf(({ atMs }) => atMs), meanOf(({ value }) => value)];
  let [together, spread] = [0, 0];
  for (const { atMs, value } of counted) {
    together += (atMs - meanMs) * (value - meanValue);
    spread += (atMs - meanMs) ** 2;
  }
  return (together / spread) * 60_000;
}

/** The last two thirds of a series. */
export function afterWarmUp<Item>(series: readonly Item[]): readonly Item[] {
  return series.slice(Math.floor(series.length / 3));
}
