import { hash } from 'node:crypto';
import { createWeakMemory } from './weak-memory.js';

/** A set of resource names that streams share: equal sets are the same object. */
export interface NameSet {
  /** Hash of the sorted names. */
  readonly id: string;
  /** Sorted, each name once. */
  readonly names: readonly string[];
}

/** A list of names as proxies encode it, and the set that it stands for. */
export interface EncodedNames {
  readonly bytes: Buffer;
  readonly set: NameSet;
}

/**
 * Keeps one NameSet per distinct set (DESIGN section 5: a sidecar repeats thousands of names in every
 * request, and most sidecars ask for the same ones). Holds nothing that no stream uses any more.
 */
export interface NameSets {
  /**
   * The set behind an encoded list of names. The list is decoded only when the very same bytes are not
   * known yet.
   *
   * @param encoded the bytes that `decode` reads; equal bytes mean equal names
   * @param last what the stream sent before: when it is the same, not even a hash is taken
   */
  intern(encoded: Uint8Array, decode: () => readonly string[], last?: EncodedNames): EncodedNames;
}

export function createNameSets(): NameSets {
  const byEncoding = createWeakMemory<EncodedNames>();
  const byContent = createWeakMemory<NameSet>();

  const internNames = (names: readonly string[]): NameSet => {
    const sorted = [...new Set(names)].sort();
    const id = hash('sha1', sorted.join('\n'), 'base64');
    return byContent.get(id) ?? byContent.keep(id, { id, names: sorted });
  };

  return {
    intern: (encoded, decode, last) => {
      if (last?.bytes.equals(encoded)) return last;
      const key = hash('sha1', encoded, 'base64');
      return byEncoding.get(key) ?? byEncoding.keep(key, { bytes: Buffer.from(encoded), set: internNames(decode()) });
    },
  };
}
