/** One metric family: its type, help text and the names of its labels. */
export type Family<Label extends string = string> =
  | { readonly type: 'counter' | 'gauge'; readonly help: string; readonly labels: readonly Label[] }
  | {
      readonly type: 'histogram';
      readonly help: string;
      readonly labels: readonly Label[];
      /** Upper bounds, ascending, in the unit that the name or help gives. */
      readonly buckets: readonly number[];
    };

/** A family whose values only grow (types Sum and Count of docs/reference/metrics.md). */
export function counter<const Label extends string = never>(help: string, ...labels: readonly Label[]) {
  return { type: 'counter', help, labels } as const;
}

/** A family whose last value counts (type LastValue). */
export function gauge<const Label extends string = never>(help: string, ...labels: readonly Label[]) {
  return { type: 'gauge', help, labels } as const;
}

/** A family that counts observations by size (type Distribution). */
export function histogram<const Label extends string = never>(
  help: string,
  buckets: readonly number[],
  ...labels: readonly Label[]
) {
  return { type: 'histogram', help, labels, buckets } as const;
}
