/** Headers by lower-case name; of a header that comes several times, all values joined by commas (RFC 9110 5.3). */
export type HeaderMap = ReadonlyMap<string, string>;

/** Makes a map of headers with names in any case. */
export function headerMapOf(headers: Iterable<readonly [string, string]>): HeaderMap {
  const map = new Map<string, string>();
  for (const [name, value] of headers) {
    const lowerName = name.toLowerCase();
    const earlier = map.get(lowerName);
    map.set(lowerName, earlier === undefined ? value : `${earlier},${value}`);
  }
  return map;
}
