import { hasName, type NameSet, type NameSets } from './name-set.js';
import { createPairMemory } from './pair-memory.js';
import type { Work } from './work.js';

/**
 * Derives the name set of a subscription from the one before it. Sidecars of equal scope add and remove the same names,
 * so each step is computed once for all of them.
 */
export interface NameChanges {
  /** The names of either set. */
  add(before: NameSet, added: NameSet): Work<NameSet>;
  /** The names of the first set that are not in the second. */
  remove(before: NameSet, removed: NameSet): Work<NameSet>;
  /** The set of some names. */
  of(names: readonly string[]): Work<NameSet>;
  /** The names of both sets. */
  both(first: NameSet, second: NameSet): Work<NameSet>;
}

export const NO_NAMES: NameSet = { id: '', names: [], characters: 0 };

/** Names that are looked up before the work pauses. */
const LOOKED_UP_AT_ONCE = 2_048;

export function createNameChanges(sets: Pick<NameSets, 'ofNames'>): NameChanges {
  const added = createPairMemory<NameSet, NameSet, NameSet>();
  const removed = createPairMemory<NameSet, NameSet, NameSet>();

  const ofNames = function* (names: readonly string[]): Work<NameSet> {
    return names.length === 0 ? NO_NAMES : yield* sets.ofNames(names);
  };

  const remove: NameChanges['remove'] = function* (before, without) {
    if (before.names.length === 0 || without.names.length === 0) return before;
    const known = removed.get(before, without);
    if (known !== undefined) return known;
    const rest = yield* namesNotIn(before, without);
    const next = rest.length === before.names.length ? before : yield* ofNames(rest);
    return removed.keep(before, without, next);
  };

  return {
    of: ofNames,
    *add(before, more) {
      if (before.names.length === 0) return more;
      if (more.names.length === 0) return before;
      const known = added.get(before, more);
      if (known !== undefined) return known;
      const fresh = yield* namesNotIn(more, before);
      const next = fresh.length > 0 ? yield* ofNames([...before.names, ...fresh]) : before;
      return added.keep(before, more, next);
    },
    remove,
    *both(first, second) {
      return yield* remove(first, yield* remove(first, second));
    },
  };
}

function* namesNotIn({ names }: NameSet, other: NameSet): Work<readonly string[]> {
  const found: string[] = [];
  for (let start = 0; start < names.length; start += LOOKED_UP_AT_ONCE) {
    for (const name of names.slice(start, start + LOOKED_UP_AT_ONCE)) if (!hasName(other, name)) found.push(name);
    if (names.length > LOOKED_UP_AT_ONCE) yield;
  }
  return found;
}
