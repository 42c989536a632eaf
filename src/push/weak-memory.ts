/** Finds objects by key while they are referenced elsewhere. */
export interface WeakMemory<Value extends object> {
  get(key: string): Value | undefined;
  keep(key: string, value: Value): Value;
  /** The objects that are still referenced, in no particular order. */
  values(): Iterable<Value>;
  /** Number of keys; the objects of some keys may be garbage. */
  readonly size: number;
}

export function createWeakMemory<Value extends object>(): WeakMemory<Value> {
  const references = new Map<string, WeakRef<Value>>();
  const cleanUp = new FinalizationRegistry<string>((key) => {
    // A newer value may have the key by now.
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
