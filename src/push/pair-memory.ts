/** Remembers the result for a pair of objects while both exist and the result is used elsewhere. */
export interface PairMemory<First extends object, Second extends object, Value extends object> {
  get(first: First, second: Second): Value | undefined;
  keep(first: First, second: Second, value: Value): Value;
}

export function createPairMemory<First extends object, Second extends object, Value extends object>(): PairMemory<
  First,
  Second,
  Value
> {
  const known = new WeakMap<First, WeakMap<Second, WeakRef<Value>>>();
  return {
    get: (first, second) => known.get(first)?.get(second)?.deref(),
    keep: (first, second, value) => {
      let ofFirst = known.get(first);
      if (ofFirst === undefined) {
        ofFirst = new WeakMap();
        known.set(first, ofFirst);
      }
      ofFirst.set(second, new WeakRef(value));
      return value;
    },
  };
}
