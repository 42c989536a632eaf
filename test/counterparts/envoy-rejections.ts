import type { Envoy } from './envoy.js';

/** Configuration that an Envoy rejected, as text. */
export interface Rejection {
  /** For example `listener_manager.lds.update_rejected`. */
  readonly stat: string;
  readonly count: number;
}

/** Every update_rejected counter above zero: clusters, listeners, each route configuration, each assignment. */
export function findRejections(stats: ReadonlyMap<string, number>): readonly Rejection[] {
  return [...stats]
    .filter(([name, value]) => name.endsWith('update_rejected') && value > 0)
    .map(([stat, count]) => ({ stat, count }));
}

/** The `error_state`s anywhere in a config dump, which hold the texts of rejections. */
function collectErrorDetails(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(collectErrorDetails);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const isErrorState = key === 'error_state' && typeof value === 'object' && value !== null && 'details' in value;
    return isErrorState ? [String(value.details)] : collectErrorDetails(value);
  });
}

/**
 * Proves that the Envoy took all it was sent.
 * @throws Error with each counter, and the texts of the rejections from its config dump and its log.
 */
export async function assertNothingRejected(envoy: Envoy): Promise<void> {
  const stats = await envoy.stats();
  const rejections = findRejections(stats);
  if (rejections.length === 0) return;
  const details = collectErrorDetails(JSON.parse(await envoy.admin('/config_dump')));
  const logged = envoy.process.lines.filter((line) => /rejected|error adding|error initializing/i.test(line));
  const counters = rejections.map(({ stat, count }) => `${stat}: ${count}`);
  throw new Error([`${envoy.name} rejected configuration`, ...counters, ...new Set(details), ...logged].join('\n  '));
}
