/**
 * Remembers results by the identity of the objects that they were made from, and by a key that names every other input.
 * Objects of a snapshot never change, and an unchanged one keeps its identity from snapshot to snapshot. The garbage
 * collector takes a result with the first of its objects that has no other reference.
 */
export interface Memo<Value> {
  /**
   * @param dependencies at least one object, always the same number in the same order; the shortest-lived last
   * @param key every input of `build` that is not one of the objects
   */
  of(dependencies: readonly [object, ...object[]], key: string, build: () => Value): Value;
}

/** The entries of one dependency: the next level, or the results by key. */
type Level<Value> = WeakMap<object, Entry<Value>>;
type Entry<Value> = Level<Value> | Map<string, Value>;

/**
 * @param maxKeys results for the same objects; beyond it, the one that was not used for the longest time is forgotten.
 *   For objects that live long and keys that change with the mesh or that peers can invent. Default: no limit
 */
export function createMemo<Value>(maxKeys = Number.POSITIVE_INFINITY): Memo<Value> {
  const root: Level<Value> = new WeakMap();
  const isLimited = Number.isFinite(maxKeys);
  return {
    of: (dependencies, key, build) => {
      const results = resultsOf(root, dependencies);
      const known = results.get(key);
      if (known !== undefined || results.has(key)) {
        // A map keeps the order of its additions: here that of use.
        if (isLimited && results.delete(key)) results.set(key, known as Value);
        return known as Value;
      }
      const value = build();
      results.set(key, value);
      if (results.size > maxKeys) {
        const [oldest] = results.keys();
        results.delete(oldest ?? key);
      }
      return value;
    },
  };
}

/** A function of one object that is computed once for as long as the object lives. */
export function memoize<Subject extends object, Value>(
  compute: (subject: Subject) => Value,
): (subject: Subject) => Value {
  const values = new WeakMap<Subject, { readonly value: Value }>();
  return (subject) => {
    const known = values.get(subject);
    if (known !== undefined) return known.value;
    const value = compute(subject);
    values.set(subject, { value });
    return value;
  };
}

/**
 * A function of one object that keeps its last result only, for callers that ask about the same object several times in a
 * row.
 */
export function rememberLast<Subject extends object, Value>(
  compute: (subject: Subject) => Value,
): (subject: Subject) => Value {
  let last: { readonly subject: Subject; readonly value: Value } | undefined;
  return (subject) => {
    if (last?.subject !== subject) last = { subject, value: compute(subject) };
    return last.value;
  };
}

function resultsOf<Value>(root: Level<Value>, dependencies: readonly object[]): Map<string, Value> {
  let level = root;
  const last = dependencies.length - 1;
  for (let index = 0; index <= last; index++) {
    const dependency = dependencies[index] ?? root;
    let next = level.get(dependency);
    if (next === undefined) {
      next = index === last ? new Map<string, Value>() : new WeakMap<object, Entry<Value>>();
      level.set(dependency, next);
    }
    if (index === last && next instanceof Map) return next;
    if (next instanceof Map) break;
    level = next;
  }
  throw new TypeError('a memo needs as many dependencies as it was given before');
}
