/** Finds objects again while somebody else still holds them. */
export interface WeakMemory<Value extends object> {
  get(key: string): Value | undefined;
  keep(key: string, value: Value): Value;
  /** Those that are still held, in no particular order. */
  values(): Iterable<Value>;
  /** Keys, of which some may stand for objects that are gone by now. */
  readonly size: number;
}

export function createWeakMemory<Value extends object>(): WeakMemory<Value> {
  const references = new Map<string, WeakRef<Value>>();
  const cleanUp = new FinalizationRegistry<string>((key) => {
    // The key may be in use again by a newer value.
    if (references.get(key)?.deref() === undefined) references.delete(key);
  });
  return {
    get: (key) => references.get(key)?.deref(),
    keep: (key, value) => {
      references.set(key, new WeakRef(value));
      cleanUp.register(value, key);
      return value;
    },
    *values() {
      for (const reference of references.values()) {
        const value = reference.deref();
        if (value !== undefined) yield value;
      }
    },
    get size() {
      return references.size;
    },
  };
}
