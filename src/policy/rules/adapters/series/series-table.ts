import { cutValue, labelText, numberText } from './exposition-text.js';

/** A metric of a handler. */
export interface SeriesDefinition {
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'counter' | 'histogram';
  /** In the order in which values come. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, ascending and finite. */
  readonly bounds: readonly number[];
}

interface Series {
  /** All labels, without braces. */
  readonly labels: string;
  changedMs: number;
  /** The value; the sum of a histogram. */
  value: number;
  count: number;
  /** Observations by bucket, the last one above all bounds. */
  readonly buckets: number[];
}

/** The series of one metric, by the values of its labels. */
export class SeriesTable {
  readonly definition: SeriesDefinition;
  /** Lines of one series. */
  readonly linesEach: number;
  readonly #ownLabel: string;
  readonly #series = new Map<string, Series>();

  /** @param ownLabel a label of all series, as text */
  constructor(definition: SeriesDefinition, ownLabel: string) {
    this.definition = definition;
    this.#ownLabel = ownLabel;
    this.linesEach = definition.kind === 'histogram' ? definition.bounds.length + 3 : 1;
  }

  get lines(): number {
    return this.#series.size * this.linesEach;
  }

  has(values: readonly string[]): boolean {
    return this.#series.has(keyOf(values));
  }

  record(values: readonly string[], number: number, nowMs: number): void {
    const key = keyOf(values);
    const series = this.#series.get(key) ?? this.#create(values);
    this.#series.set(key, series);
    series.changedMs = nowMs;
    switch (this.definition.kind) {
      case 'gauge':
        series.value = number;
        return;
      case 'counter':
        series.value += number;
        return;
      case 'histogram': {
        series.value += number;
        series.count++;
        const place = this.definition.bounds.findIndex((bound) => number <= bound);
        const bucket = place < 0 ? this.definition.bounds.length : place;
        series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
      }
    }
  }

  /** Removes series that have not changed since. */
  expire(sinceMs: number): void {
    for (const [key, { changedMs }] of this.#series) if (changedMs < sinceMs) this.#series.delete(key);
  }

  /** One text for each series, so that a pause between texts finds no half of one. */
  *text(): Iterable<string> {
    const { name, kind } = this.definition;
    for (const series of this.#series.values()) {
      if (kind === 'histogram') yield this.#histogramText(series);
      else yield `${name}{${series.labels}} ${numberText(series.value)}`;
    }
  }

  #histogramText({ labels, value, count, buckets }: Series): string {
    const { name, bounds } = this.definition;
    let sum = 0;
    const lines = [...bounds, Number.POSITIVE_INFINITY].map((bound, place) => {
      sum += buckets[place] ?? 0;
      return `${name}_bucket{${labels},le="${numberText(bound)}"} ${sum}`;
    });
    lines.push(`${name}_sum{${labels}} ${numberText(value)}`, `${name}_count{${labels}} ${count}`);
    return lines.join('\n');
  }

  #create(values: readonly string[]): Series {
    const own = this.definition.labels.map((name, place) => labelText(name, values[place] ?? ''));
    return { labels: [this.#ownLabel, ...own].join(), changedMs: 0, value: 0, count: 0, buckets: [] };
  }
}

/** Of the values as they are shown, so that no two series look the same. A text of its own, which keeps no long value. */
function keyOf(values: readonly string[]): string {
  return JSON.stringify(values.map(cutValue));
}
