import type { Clock } from '../../base/clock.js';

/** Remembers values for a while, as many as fit: the oldest make room. */
export interface ExpiringMap<Value> {
  get(key: string): Value | undefined;
  /** @param lifetimeMs what is not positive is not remembered at all */
  set(key: string, value: Value, lifetimeMs: number): void;
}

export function createExpiringMap<Value>(maxEntries: number, clock: Clock): ExpiringMap<Value> {
  // In the order in which they came.
  const entries = new Map<string, { readonly value: Value; readonly untilMs: number }>();
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (clock.monotonicMs() < entry.untilMs) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set: (key, value, lifetimeMs) => {
      entries.delete(key);
      if (lifetimeMs <= 0) return;
      const [oldest] = entries.keys();
      if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest);
      entries.set(key, { value, untilMs: clock.monotonicMs() + lifetimeMs });
    },
  };
}
