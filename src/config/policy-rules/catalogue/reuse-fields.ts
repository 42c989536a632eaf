import type { IdleParameter } from './compiled-adapter.js';

/**
 * The parameters that say how long and how often an answer may be reused, where they differ from their defaults.
 *
 * @param values by name, with the default
 */
export function reuseFields(
  values: Readonly<Record<string, readonly [value: unknown, fallback: unknown]>>,
): readonly IdleParameter[] {
  return Object.entries(values)
    .filter(([, [value, fallback]]) => value !== fallback)
    .map(([path]) => ({ path, reason: 'is not read: policy servers decide about each request' }));
}
