/**
 * Keeps one value for each of the keys that were used last. A new key replaces the one that was not used for the
 * longest time.
 *
 * @param max number of keys
 * @param create makes the value of a new key
 */
export function createRecent<Value>(max: number, create: () => Value): (key: string) => Value {
  const values = new Map<string, Value>();
  return (key) => {
    const value = values.get(key) ?? create();
    values.delete(key);
    values.set(key, value);
    if (values.size > max) {
      const [oldest] = values.keys();
      if (oldest !== undefined) values.delete(oldest);
    }
    return value;
  };
}
