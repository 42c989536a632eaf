/**
 * Objects by keys, held weakly: an object stays only while another holder refers to it. Peers may invent any number of
 * keys.
 */
export interface SweptMemory<Value extends object> {
  get(key: string): Value | undefined;
  keep(key: string, value: Value): void;
  /** Characters of all keys, including keys whose objects were collected. */
  readonly keyCharacters: number;
}

/** Below this number of characters a sweep costs more than it saves. */
const MIN_SWEPT_CHARACTERS = 1 << 20;

/**
 * Deletes the keys of collected objects whenever the keys have twice as many characters as after the last sweep. Keys
 * of proxies that came and went do not add up.
 *
 * @param minCharacters of keys below which there is no sweep; default 1 Mi
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
