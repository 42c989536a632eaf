import { hash } from 'node:crypto';

/** A set of resource names that streams share: equal sets are the same object. */
export interface NameSet {
  /** Hash of the sorted names. */
  readonly id: string;
  /** Sorted, each name once. */
  readonly names: readonly string[];
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
   * @param encoded the bytes that `decode` reads; equal bytes mean equal names.
   */
  intern(encoded: Uint8Array, decode: () => readonly string[]): NameSet;
}

export function createNameSets(): NameSets {
  const byEncoding = new Map<string, WeakRef<NameSet>>();
  const byContent = new Map<string, WeakRef<NameSet>>();
  const forget = (map: Map<string, WeakRef<NameSet>>, key: string): void => {
    if (map.get(key)?.deref() === undefined) map.delete(key);
  };
  const encodings = new FinalizationRegistry<string>((key) => forget(byEncoding, key));
  const contents = new FinalizationRegistry<string>((key) => forget(byContent, key));

  const internNames = (names: readonly string[]): NameSet => {
    const sorted = [...new Set(names)].sort();
    const id = hash('sha1', sorted.join('\n'), 'base64');
    const known = byContent.get(id)?.deref();
    if (known !== undefined) return known;
    const set: NameSet = { id, names: sorted };
    byContent.set(id, new WeakRef(set));
    contents.register(set, id);
    return set;
  };

  return {
    intern: (encoded, decode) => {
      const key = hash('sha1', encoded, 'base64');
      const known = byEncoding.get(key)?.deref();
      if (known !== undefined) return known;
      const set = internNames(decode());
      byEncoding.set(key, new WeakRef(set));
      encodings.register(set, key);
      return set;
    },
  };
}
