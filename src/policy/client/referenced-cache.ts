import type { Clock } from '../../telemetry/clock.js';
import type { AttributeBag } from './attribute-bag.js';
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
  /** Entries that nobody asked for during this time are dropped; without it they stay. */
  readonly idleMs?: number;
  readonly clock: Clock;
}

/** Every lookup tries all patterns of its scope: a server that references ever other attributes must not slow us down. */
export const MAX_PATTERNS_PER_SCOPE = 64;

interface KnownPattern extends ReferencePattern {
  readonly keys: Set<string>;
}

interface Entry<V> {
  readonly value: V;
  readonly scope: string;
  readonly pattern: KnownPattern;
  usedMs: number;
}

export function createReferencedCache<V>(options: ReferencedCacheOptions): ReferencedCache<V> {
  const { maxEntries, idleMs = Number.POSITIVE_INFINITY, clock } = options;
  // Maps keep the order of insertion: what was used is put in again, so that the first is the least recently used.
  const entries = new Map<string, Entry<V>>();
  const scopes = new Map<string, Map<string, KnownPattern>>();

  const remove = (key: string, { scope, pattern }: Entry<V>): void => {
    entries.delete(key);
    pattern.keys.delete(key);
    if (pattern.keys.size > 0) return;
    const patterns = scopes.get(scope);
    patterns?.delete(pattern.id);
    if (patterns?.size === 0) scopes.delete(scope);
  };
  const removeIdle = (nowMs: number): void => {
    for (const [key, entry] of entries) {
      if (nowMs - entry.usedMs < idleMs) return;
      remove(key, entry);
    }
  };
  const learn = (scope: string, pattern: ReferencePattern): KnownPattern => {
    const patterns = scopes.get(scope) ?? new Map<string, KnownPattern>();
    const known = patterns.get(pattern.id);
    if (known !== undefined) return known;
    const oldest = patterns.size < MAX_PATTERNS_PER_SCOPE ? undefined : patterns.values().next().value;
    for (const key of oldest?.keys ?? []) {
      const entry = entries.get(key);
      if (entry !== undefined) remove(key, entry);
    }
    const learnt = { ...pattern, keys: new Set<string>() };
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
        const key = values === undefined ? undefined : entryKey(scope, pattern, values);
        const entry = key === undefined ? undefined : entries.get(key);
        if (key === undefined || entry === undefined) continue;
        if (!isUsable(entry.value)) {
          remove(key, entry);
          continue;
        }
        entry.usedMs = nowMs;
        entries.delete(key);
        entries.set(key, entry);
        return entry.value;
      }
      return undefined;
    },
    store(scope, bag, referenced, value) {
      const pattern = referencePattern(referenced);
      const values = pattern && referencedValues(pattern, bag);
      if (pattern === undefined || values === undefined) return false;
      const key = entryKey(scope, pattern, values);
      const known = learn(scope, pattern);
      known.keys.add(key);
      entries.delete(key);
      entries.set(key, { value, scope, pattern: known, usedMs: clock.monotonicMs() });
      for (const [oldestKey, oldest] of entries) {
        if (entries.size <= maxEntries) break;
        remove(oldestKey, oldest);
      }
      return true;
    },
    get size() {
      return entries.size;
    },
  };
}

function entryKey(scope: string, pattern: ReferencePattern, values: string): string {
  return `${scope.length}:${scope}${pattern.id.length}:${pattern.id}${values}`;
}
