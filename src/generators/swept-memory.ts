/** Finds objects again while others hold them, by keys that peers can invent. */
export interface SweptMemory<Value extends object> {
  get(key: string): Value | undefined;
  keep(key: string, value: Value): void;
  /** Characters of all keys, also of those whose objects are gone. */
  readonly keyCharacters: number;
}

/** Fewer characters are not worth a look through all keys. */
const MIN_SWEPT_CHARACTERS = 1 << 20;

/**
 * Drops the keys of objects that are gone as soon as all keys have twice as many characters as those that were left
 * the last time, so that keys of proxies that came and went do not add up.
 *
 * @param minCharacters of keys, below which none is dropped; 1 Mi unless given
 */
export function createSweptMemory<Value extends object>(minCharacters = MIN_SWEPT_CHARACTERS): SweptMemory<Value> {
  const references = new Map<string, WeakRef<Value>>();
  let characters = 0;
  let sweepAt = minCharacters;

  const sweep = (): void => {
    for (const [key, reference] of references) {
      if (reference.deref() !== undefined) continue;
      references.delete(key);
      characters -= key.length;
    }
    sweepAt = Math.max(minCharacters, 2 * characters);
  };

  return {
    get: (key) => references.get(key)?.deref(),
    keep: (key, value) => {
      if (!references.has(key)) characters += key.length;
      references.set(key, new WeakRef(value));
      if (characters > sweepAt) sweep();
    },
    get keyCharacters() {
      return characters;
    },
  };
}
