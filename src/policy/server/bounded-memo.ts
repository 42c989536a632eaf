/** Remembers what was made of a key. */
export type BoundedMemo<V> = (key: string) => V;

export interface BoundedMemoOptions<V = unknown> {
  /** At least this many of the last used keys are remembered, at most twice as many. */
  readonly entries: number;
  /** Longer keys are made anew each time: nobody needs them, and they would fill the memory. */
  readonly maxKeyLength: number;
  /** Characters of all keys that are remembered, at most twice as many: keys are chosen by callers. */
  readonly characters: number;
  /** What a value takes beside its key, in characters; by default nothing worth counting. */
  readonly weightOf?: (value: V) => number;
}

/**
 * Keeps two generations and drops the older when the younger is full: what is used stays, and no lookup does more than
 * two. A key that `make` throws for is not remembered.
 */
export function createBoundedMemo<V>(options: BoundedMemoOptions<V>, make: (key: string) => V): BoundedMemo<V> {
  const { entries, maxKeyLength, characters, weightOf } = options;
  let used = 0;
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  return (key) => {
    if (key.length > maxKeyLength) return make(key);
    const known = young.get(key);
    if (known !== undefined) return known;
    const value = old.get(key) ?? make(key);
    const weight = key.length + (weightOf?.(value) ?? 0);
    if (young.size >= entries || used + weight > characters) {
      old = young;
      young = new Map();
      used = 0;
    }
    young.set(key, value);
    used += weight;
    return value;
  };
}
