import type { CounterId } from '../quota-store.js';

/** The counters that this process has charged lately, by group. Redis has only hashes of their keys. */
export interface RecentCounters {
  note(counter: CounterId): void;
  /** The newest first. */
  keysOf(group: string): readonly string[];
  keepOnly(groups: ReadonlySet<string>): void;
}

/** A key has at most 256 characters. */
const MAX_KEYS = 200;
const MAX_GROUPS = 1_000;

export function createRecentCounters(): RecentCounters {
  const groups = new Map<string, Set<string>>();
  return {
    note: ({ group, key }) => {
      let keys = groups.get(group);
      if (keys === undefined) {
        if (groups.size >= MAX_GROUPS) return;
        keys = new Set();
        groups.set(group, keys);
      }
      // The order of a set is that of the additions.
      keys.delete(key);
      keys.add(key);
      const [oldest] = keys;
      if (keys.size > MAX_KEYS && oldest !== undefined) keys.delete(oldest);
    },
    keysOf: (group) => [...(groups.get(group) ?? [])].reverse(),
    keepOnly: (kept) => {
      for (const group of groups.keys()) if (!kept.has(group)) groups.delete(group);
    },
  };
}
