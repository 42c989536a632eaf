/** Adds to the count of the key, which may be negative; a count of 0 has no entry. */
export function addCount<Key>(counts: Map<Key, number>, key: Key, more: number): void {
  const sum = (counts.get(key) ?? 0) + more;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
