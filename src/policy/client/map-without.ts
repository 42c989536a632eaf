/** A view of a map without one of its keys, at no cost per entry. */
export class MapWithout<Value> implements ReadonlyMap<string, Value> {
  readonly #map: ReadonlyMap<string, Value>;
  readonly #left: string;

  constructor(map: ReadonlyMap<string, Value>, left: string) {
    this.#map = map;
    this.#left = left;
  }

  get size(): number {
    return this.#map.size - (this.#map.has(this.#left) ? 1 : 0);
  }

  get(key: string): Value | undefined {
    return key === this.#left ? undefined : this.#map.get(key);
  }

  has(key: string): boolean {
    return key !== this.#left && this.#map.has(key);
  }

  forEach(visit: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }

  *entries(): MapIterator<[string, Value]> {
    for (const entry of this.#map) {
      if (entry[0] !== this.#left) yield entry;
    }
  }

  *keys(): MapIterator<string> {
    for (const [key] of this) yield key;
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }
}
