/** A value that occurs again in a list. */
export interface RepeatedValue {
  readonly index: number;
  /** Index of its first occurrence. */
  readonly first: number;
}

/** Finds each repetition of a value in a list, in the order of the list. Ignores undefined values. */
export function repeatedValues(values: readonly (string | number | undefined)[]): readonly RepeatedValue[] {
  const firsts = new Map<string | number, number>();
  return values.flatMap((value, index) => {
    if (value === undefined) return [];
    const first = firsts.get(value);
    if (first === undefined) firsts.set(value, index);
    return first === undefined ? [] : [{ index, first }];
  });
}
