import type { Clock } from '../../base/clock.js';
import type { AttributeBag } from './attribute-bag.js';
import { type Parts, PartsTree } from './parts-tree.js';
import { createRecencyList, type RecencyLink } from './recency-list.js';
import {
  type ReferencedAttributes,
  type ReferencePattern,
  referencedValues,
  referencePattern,
} from './referenced-attributes.js';

/** Answers for requests, found again by the attributes that they depend on. The least recently used go first. */
export interface ReferencedCache<V> {
  /**
   * The first usable answer for the bag. Answers that `isUsable` refuses are removed.
   *
   * @param scope keeps answers apart that reference the same attributes, for example a quota's name
   */
  find(scope: string, bag: AttributeBag, isUsable: (value: V) => boolean): V | undefined;
  /** Keeps an answer in place of an earlier one; false when it cannot be cached (`referencePattern`). */
  store(scope: string, bag: AttributeBag, referenced: ReferencedAttributes, value: V): boolean;
  readonly size: number;
}

export interface ReferencedCacheOptions {
  readonly maxEntries: number;
  /** Entries without a lookup for this time are dropped; by default they stay. */
  readonly idleMs?: number;
  readonly clock: Clock;
}

/**
 * A bound on the cost of a lookup, which tries all patterns of its scope: a server could reference other attributes in
 * each answer.
 */
export const MAX_PATTERNS_PER_SCOPE = 64;

interface KnownPattern<V> extends ReferencePattern {
  /** By the values that the pattern references. */
  readonly entries: PartsTree<RecencyLink<Entry<V>>>;
}

interface Entry<V> {
  readonly value: V;
  readonly values: Parts;
  readonly scope: string;
  readonly pattern: KnownPattern<V>;
  usedMs: number;
}

export function createReferencedCache<V>(options: ReferencedCacheOptions): ReferencedCache<V> {
  const { maxEntries, idleMs = Number.POSITIVE_INFINITY, clock } = options;
  const scopes = new Map<string, Map<string, KnownPattern<V>>>();
  const recency = createRecencyList<Entry<V>>();
  let size = 0;

  const remove = (link: RecencyLink<Entry<V>>): void => {
    const { scope, pattern, values } = link.item;
    recency.remove(link);
    pattern.entries.delete(values);
    size--;
    if (!pattern.entries.isEmpty) return;
    const patterns = scopes.get(scope);
    patterns?.delete(pattern.id);
    if (patterns?.size === 0) scopes.delete(scope);
  };
  const removeIdle = (nowMs: number): void => {
    for (let link = recency.oldest(); link !== undefined; link = recency.oldest()) {
      if (nowMs - link.item.usedMs < idleMs) return;
      remove(link);
    }
  };
  const learn = (scope: string, pattern: ReferencePattern): KnownPattern<V> => {
    const patterns = scopes.get(scope) ?? new Map<string, KnownPattern<V>>();
    const known = patterns.get(pattern.id);
    if (known !== undefined) return known;
    const oldest = patterns.size < MAX_PATTERNS_PER_SCOPE ? undefined : patterns.values().next().value;
    for (const link of [...(oldest?.entries.values() ?? [])]) remove(link);
    const learnt = { ...pattern, entries: new PartsTree<RecencyLink<Entry<V>>>() };
    patterns.set(pattern.id, learnt);
    scopes.set(scope, patterns);
    return learnt;
  };

  return {
    find(scope, bag, isUsable) {
      const nowMs = clock.monotonicMs();
      removeIdle(nowMs);
      for (const pattern of scopes.get(scope)?.values() ?? []) {
        const values = referencedValues(pattern, bag);
        const link = values === undefined ? undefined : pattern.entries.get(values);
        if (link === undefined) continue;
        if (!isUsable(link.item.value)) {
          remove(link);
          continue;
        }
        link.item.usedMs = nowMs;
        recency.touch(link);
        return link.item.value;
      }
      return undefined;
    },
    store(scope, bag, referenced, value) {
      const pattern = referencePattern(referenced);
      const values = pattern && referencedValues(pattern, bag);
      if (pattern === undefined || values === undefined) return false;
      const known = learn(scope, pattern);
      const before = known.entries.get(values);
      if (before === undefined) size++;
      else recency.remove(before);
      const usedMs = clock.monotonicMs();
      known.entries.set(values, recency.add({ value, values, scope, pattern: known, usedMs }));
      for (let link = recency.oldest(); link !== undefined && size > maxEntries; link = recency.oldest()) remove(link);
      return true;
    },
    get size() {
      return size;
    },
  };
}
