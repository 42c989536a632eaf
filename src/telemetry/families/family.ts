/** One metric family: its type, help text and the names of its labels. */
export type Family<Label extends string = string> =
  | {
      readonly type: 'counter' | 'gauge';
      readonly help: string;
      readonly labels: readonly Label[];
      /** A gauge without labels has no value before the first record, because 0 would be a wrong one. */
      readonly startsEmpty?: boolean;
    }
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

/** A gauge whose value 0 would be wrong before the first record, for example a time. */
export function measured(help: string) {
  return { type: 'gauge', help, labels: [], startsEmpty: true } as const;
}

/** A family that counts observations by size (type Distribution). */
export function histogram<const Label extends string = never>(
  help: string,
  buckets: readonly number[],
  ...labels: readonly Label[]
) {
  return { type: 'histogram', help, labels, buckets } as const;
}
