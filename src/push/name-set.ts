import { createHash, hash } from 'node:crypto';
import { createWeakMemory } from './weak-memory.js';
import type { Work } from './work.js';

/** The name that stands for all resources of a type. */
export const WILDCARD = '*';

/** A set of resource names that streams share: equal sets are the same object. */
export interface NameSet {
  /** Hash of the sorted names. */
  readonly id: string;
  /** Sorted, each name once. */
  readonly names: readonly string[];
  /** Of all names together. */
  readonly characters: number;
}

/** A list of names as proxies encode it, and the set that it stands for. */
export interface EncodedNames {
  /** SHA-1 of the encoded list, in base64. */
  readonly key: string;
  /**
   * The encoded list, to recognise it without a hash. Undefined if proxies encode one set in many orders: the copies of
   * a long list would fill the memory.
   */
  readonly bytes: Buffer | undefined;
  /** Names in the list, repetitions included. */
  readonly count: number;
  readonly set: NameSet;
}

/**
 * Keeps one NameSet per distinct set: a sidecar repeats thousands of names in every request, and most sidecars
 * subscribe to the same ones. Sets that no stream uses are garbage.
 */
export interface NameSets {
  /**
   * Finds the set of an encoded list of names. Decodes the list only if its bytes are not known yet. Pauses, because a
   * list may be long.
   *
   * @param encoded the bytes that `decode` reads; equal bytes mean equal names
   * @param last the stream's last list: equal bytes need no hash
   */
  intern(encoded: Uint8Array, decode: () => Work<readonly string[]>, last?: EncodedNames): Work<EncodedNames>;
  /** Finds the set of some names, in any order and with repetitions. */
  ofNames(names: readonly string[]): Work<NameSet>;
}

/** Number of encodings of one set whose bytes are kept. */
const MAX_KEPT_ENCODINGS = 4;
/** The bytes of shorter lists are always kept. */
const SHORT_LIST_BYTES = 4_096;
/** Lists whose bytes are compared before a long list is hashed: sidecars of one scope often send the same bytes. */
const MAX_RECENT_LISTS = 4;
/** Names that are hashed before the work pauses. */
const HASHED_AT_ONCE = 2_048;

export function createNameSets(): NameSets {
  const byEncoding = createWeakMemory<EncodedNames>();
  const byContent = createWeakMemory<NameSet>();
  /** The newest set of each number of names. */
  const bySize = createWeakMemory<NameSet>();
  const kept = new WeakMap<NameSet, number>();
  /** The newest first. Weak, as lists that no stream uses are garbage. */
  let recent: readonly WeakRef<EncodedNames>[] = [];

  const findRecent = (encoded: Uint8Array): EncodedNames | undefined => {
    if (encoded.length <= SHORT_LIST_BYTES) return undefined;
    for (const reference of recent) {
      const list = reference.deref();
      if (list?.bytes?.equals(encoded) === true) return list;
    }
    return undefined;
  };

  const noteRecent = (list: EncodedNames): EncodedNames => {
    const isComparable = list.bytes !== undefined && list.bytes.length > SHORT_LIST_BYTES;
    if (isComparable) recent = [new WeakRef(list), ...recent.slice(0, MAX_RECENT_LISTS - 1)];
    return list;
  };

  const internNames = function* (names: readonly string[]): Work<NameSet> {
    // Sidecars name one set in many orders. To recognise the set costs less than to sort the names.
    const size = String(names.length);
    const likely = bySize.get(size);
    if (likely !== undefined && (yield* haveSameNames(likely, names))) return likely;
    const made = yield* internOther(names);
    return made.names.length === names.length ? bySize.keep(size, made) : made;
  };

  const internOther = function* (names: readonly string[]): Work<NameSet> {
    const sorted = yield* sortNames(names);
    const id = yield* hashNames(sorted);
    const known = byContent.get(id);
    if (known !== undefined) return known;
    let characters = 0;
    for (const name of sorted) characters += name.length;
    return byContent.keep(id, { id, names: sorted, characters });
  };

  const copyFor = (set: NameSet, encoded: Uint8Array): Buffer | undefined => {
    const encodings = kept.get(set) ?? 0;
    if (encodings >= MAX_KEPT_ENCODINGS && encoded.length > SHORT_LIST_BYTES) return undefined;
    kept.set(set, encodings + 1);
    return Buffer.from(encoded);
  };

  return {
    *intern(encoded, decode, last) {
      if (last?.bytes?.equals(encoded) === true) return last;
      const repeated = findRecent(encoded);
      if (repeated !== undefined) return repeated;
      const key = hash('sha1', encoded, 'base64');
      if (last?.key === key) return last;
      const known = byEncoding.get(key);
      if (known !== undefined) return noteRecent(known);
      const names = yield* decode();
      const set = yield* internNames(names);
      // Another stream may have made the same list during a pause.
      return noteRecent(
        byEncoding.get(key) ?? byEncoding.keep(key, { key, bytes: copyFor(set, encoded), count: names.length, set }),
      );
    },
    ofNames: internNames,
  };
}

/** Whether a set has a name. */
export function hasName({ names }: NameSet, name: string): boolean {
  let [low, high] = [0, names.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = names[middle] as string;
    if (found === name) return true;
    if (found < name) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** @param names as many as the set has, in any order and perhaps with repetitions */
function* haveSameNames(set: NameSet, names: readonly string[]): Work<boolean> {
  const found = new Set<string>();
  for (let start = 0; start < names.length; start += CHUNK) {
    for (const name of names.slice(start, start + CHUNK)) found.add(name);
    if (names.length > CHUNK) yield;
  }
  for (let start = 0; start < names.length; start += CHUNK) {
    if (!set.names.slice(start, start + CHUNK).every((name) => found.has(name))) return false;
    if (names.length > CHUNK) yield;
  }
  return true;
}

/** The lengths belong to the hash: a peer may send a name with line breaks, which must not equal several names. */
function* hashNames(sorted: readonly string[]): Work<string> {
  const digest = createHash('sha1');
  for (let start = 0; start < sorted.length; start += HASHED_AT_ONCE) {
    const names = sorted.slice(start, start + HASHED_AT_ONCE);
    digest.update(`${names.map(({ length }) => length).join()}\n${names.join('\n')}\n`);
    if (sorted.length > HASHED_AT_ONCE) yield;
  }
  return digest.digest('base64');
}

/** Names that are sorted, or merged, before the work pauses. */
const CHUNK = 2_048;

/** Sorts names by code unit and drops duplicates. Pauses, because a peer may subscribe to a hundred thousand names. */
export function* sortNames(names: readonly string[]): Work<readonly string[]> {
  if (names.length <= CHUNK) return [...new Set(names)].sort();
  if (yield* isSorted(names)) return names;
  let runs: string[][] = [];
  for (let start = 0; start < names.length; start += CHUNK) {
    runs.push(names.slice(start, start + CHUNK).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergeRuns(runs[index] ?? [], runs[index + 1] ?? []));
    }
    runs = merged;
  }
  return yield* withoutRepetitions(runs[0] ?? []);
}

/** Whether each name is greater than the one before. */
function* isSorted(names: readonly string[]): Work<boolean> {
  for (let index = 1; index < names.length; index++) {
    if ((names[index - 1] as string) >= (names[index] as string)) return false;
    if (index % CHUNK === 0) yield;
  }
  return true;
}

function* mergeRuns(first: readonly string[], second: readonly string[]): Work<string[]> {
  const merged: string[] = [];
  let [a, b] = [0, 0];
  while (a < first.length || b < second.length) {
    const [left, right] = [first[a], second[b]];
    if (right === undefined || (left !== undefined && left <= right)) {
      merged.push(left as string);
      a++;
    } else {
      merged.push(right);
      b++;
    }
    if (merged.length % CHUNK === 0) yield;
  }
  return merged;
}

function* withoutRepetitions(sorted: readonly string[]): Work<readonly string[]> {
  const names: string[] = [];
  for (const [index, name] of sorted.entries()) {
    if (index === 0 || name !== sorted[index - 1]) names.push(name);
    if (index % CHUNK === 0) yield;
  }
  return names;
}
