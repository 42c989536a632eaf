import { parseDimension } from '../../../config/policy-server/dimension.js';
import type { QuotaLimit } from '../../../config/policy-server/policy-server-config.js';
import { type AttributeBag, bagOf } from '../../client/attribute-bag.js';
import { type AttributeValue, stringAttribute } from '../../client/attribute-value.js';
import type { BucketDimensions } from '../../wire/quota-buckets.js';
import { compileLimit, type ResolvedLimit } from '../compile-limit.js';
import type { WindowShape } from '../window-shape.js';
import { REPORT_INTERVAL_S } from './share-bucket.js';

/** The limits of quotas, for buckets. */
export interface ShareLimits {
  /** The limit for a bucket; undefined for a quota without one. */
  find(quota: string, dimensions: BucketDimensions): ResolvedLimit | undefined;
  /** The groups of all counters. */
  readonly groups: readonly string[];
}

/** Counters of shares are not those of checks: a gateway can check what the proxy of a service counts by itself. */
export function shareGroup(group: string): string {
  return `fast ${group}`;
}

/**
 * The shape of a window for shares. Tokens are for the time until the next report, in which a part of the window ends: what
 * was used in that part counts no more. Otherwise a window would have room for less than its limit.
 */
export function shareShape(shape: WindowShape): WindowShape {
  const ahead = Math.floor((REPORT_INTERVAL_S * 1000 * shape.divisions) / shape.durationMs);
  return shape.carried === 0 ? shape : { ...shape, carried: Math.max(1, shape.carried - ahead) };
}

export function createShareLimits(limits: readonly QuotaLimit[]): ShareLimits {
  // Lists of keys are not for shares: such a quota is always exact.
  const compiled = new Map(limits.map(({ keys: _, ...limit }) => [limit.name, compileLimit(limit)]));
  return {
    find: (quota, dimensions) => {
      const limit = compiled.get(quota)?.resolve(bagFor(dimensions));
      if (limit === undefined) return undefined;
      const { group, key, shape } = limit.counter;
      return { ...limit, counter: { key, group: shareGroup(group), shape: shareShape(shape) } };
    },
    groups: [...compiled.values()].flatMap(({ groups }) => groups.map(shareGroup)),
  };
}

/** The values of a bucket as attributes, in which limits find their dimensions. */
function bagFor(dimensions: BucketDimensions): AttributeBag {
  const layer = new Map<string, AttributeValue>();
  const maps = new Map<string, Map<string, string>>();
  for (const [written, value] of dimensions) {
    const dimension = parseDimension(written);
    if (dimension === undefined) continue;
    const { attribute, mapKey } = dimension;
    if (mapKey === undefined) {
      layer.set(attribute, stringAttribute(value));
      continue;
    }
    const map = maps.get(attribute) ?? new Map<string, string>();
    maps.set(attribute, map.set(mapKey, value));
  }
  for (const [attribute, value] of maps) layer.set(attribute, { type: 'stringMap', value });
  return bagOf(layer);
}
