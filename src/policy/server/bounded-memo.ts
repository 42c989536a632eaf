/** Computes a value once for each key. */
export type BoundedMemo<V> = (key: string) => V;

export interface BoundedMemoOptions<V = unknown> {
  /** At least this many of the last used keys are remembered, at most twice as many. */
  readonly entries: number;
  /** Values of longer keys are computed each time. Proxies send none, and they would fill the memory. */
  readonly maxKeyLength: number;
  /** Characters of all keys that are remembered, at most twice as many: keys are chosen by callers. */
  readonly characters: number;
  /** The size of a value beside its key, in characters; 0 by default. */
  readonly weightOf?: (value: V) => number;
}

/**
 * Keeps two generations and drops the older one when the younger one is full. Used values stay, and a lookup searches
 * at most twice. A key for which `make` throws is not stored.
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
