const INITIAL_BUCKETS = 16;
const ENTRIES_PER_BUCKET = 48;

/**
 * An immutable map that shares unchanged buckets with the version before it: a snapshot of 100,000 entries costs the
 * buckets that changed since the last one, not 100,000 copies. The order of iteration is unspecified.
 */
export class BucketedMap<Value> implements ReadonlyMap<string, Value> {
  readonly size: number;
  readonly #buckets: readonly ReadonlyMap<string, Value>[];

  constructor(buckets: readonly ReadonlyMap<string, Value>[], size: number) {
    this.#buckets = buckets;
    this.size = size;
  }

  get(key: string): Value | undefined {
    return this.#buckets[bucketOf(key, this.#buckets.length)]?.get(key);
  }

  has(key: string): boolean {
    return this.#buckets[bucketOf(key, this.#buckets.length)]?.has(key) ?? false;
  }

  *entries(): MapIterator<[string, Value]> {
    for (const bucket of this.#buckets) yield* bucket.entries();
  }

  *keys(): MapIterator<string> {
    for (const bucket of this.#buckets) yield* bucket.keys();
  }

  *values(): MapIterator<Value> {
    for (const bucket of this.#buckets) yield* bucket.values();
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  forEach(callback: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this);
  }
}

/** Writes the next version of a BucketedMap. */
export class BucketedMapWriter<Value> {
  #buckets: Map<string, Value>[] = emptyBuckets(INITIAL_BUCKETS);
  /** Buckets that no snapshot shares: they can be changed in place. */
  readonly #owned = new Set<number>(this.#buckets.keys());
  #size = 0;
  #snapshot: BucketedMap<Value> | undefined;

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    return this.#buckets[bucketOf(key, this.#buckets.length)]?.get(key);
  }

  /** @returns whether the content changed */
  set(key: string, value: Value): boolean {
    const known = this.get(key);
    if (known === value && known !== undefined) return false;
    const bucket = this.#own(key);
    const before = bucket.size;
    bucket.set(key, value);
    this.#size += bucket.size - before;
    if (this.#size > this.#buckets.length * ENTRIES_PER_BUCKET) this.#grow();
    return true;
  }

  /** @returns whether there was such a key */
  delete(key: string): boolean {
    if (this.#buckets[bucketOf(key, this.#buckets.length)]?.has(key) !== true) return false;
    this.#own(key).delete(key);
    this.#size--;
    return true;
  }

  /** The content now; the same object as before when nothing changed. */
  snapshot(): BucketedMap<Value> {
    if (this.#snapshot === undefined) {
      this.#snapshot = new BucketedMap([...this.#buckets], this.#size);
      this.#owned.clear();
    }
    return this.#snapshot;
  }

  #own(key: string): Map<string, Value> {
    this.#snapshot = undefined;
    const index = bucketOf(key, this.#buckets.length);
    let bucket = this.#buckets[index] as Map<string, Value>;
    if (!this.#owned.has(index)) {
      bucket = new Map(bucket);
      this.#buckets[index] = bucket;
      this.#owned.add(index);
    }
    return bucket;
  }

  #grow(): void {
    const old = this.#buckets;
    this.#buckets = emptyBuckets(old.length * 4);
    for (const bucket of old) {
      for (const [key, value] of bucket) {
        this.#buckets[bucketOf(key, this.#buckets.length)]?.set(key, value);
      }
    }
    for (const index of this.#buckets.keys()) this.#owned.add(index);
  }
}

function emptyBuckets<Value>(count: number): Map<string, Value>[] {
  return Array.from({ length: count }, () => new Map<string, Value>());
}

/** FNV-1a; the number of buckets is a power of two. */
function bucketOf(key: string, buckets: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (buckets - 1);
}
