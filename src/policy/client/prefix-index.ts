interface Entry<Value> {
  readonly prefix: string;
  readonly value: Value;
  /** Index of the longest other entry that is a prefix of this one. */
  readonly parent: number;
}

/**
 * Finds the entries that a text starts with, in time logarithmic in their number. The entries are sorted, and each
 * links to the longest other entry that is its prefix. All prefixes of a text are on the chain of the last entry before
 * it.
 */
export class PrefixIndex<Value> {
  readonly #entries: readonly Entry<Value>[];

  constructor(prefixes: ReadonlyMap<string, Value>) {
    const entries: Entry<Value>[] = [];
    for (const [prefix, value] of [...prefixes].sort(([a], [b]) => (a < b ? -1 : 1))) {
      let parent = entries.length - 1;
      for (let above = entries[parent]; above && !prefix.startsWith(above.prefix); above = entries[parent]) {
        parent = above.parent;
      }
      entries.push({ prefix, value, parent });
    }
    this.#entries = entries;
  }

  /** The values of all entries that the text starts with, the longest first. */
  find(text: string): readonly Value[] {
    let entry = this.#entries[this.#lastUpTo(text)];
    if (entry === undefined) return [];
    const shared = commonLength(entry.prefix, text);
    const found: Value[] = [];
    for (; entry !== undefined; entry = this.#entries[entry.parent]) {
      if (entry.prefix.length <= shared) found.push(entry.value);
    }
    return found;
  }

  /** Index of the last entry that is not greater than the text; -1 when all are greater. */
  #lastUpTo(text: string): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.prefix ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function commonLength(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let index = 0;
  while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index++;
  return index;
}
