import type { ObjectKey } from '../config/object.js';

/** Stands for the mesh config among the keys of changed objects. */
export const MESH_CONFIG_KEY: ObjectKey = 'MeshConfig//mesh';

/** The reason of a push; the `type` label of nav_push_triggers (docs/reference/metrics.md#pushes-and-xds). */
export type PushReason = 'endpoint' | 'config' | 'service' | 'proxy' | 'global' | 'unknown' | 'debug';

/** The changes that the stores report to every proxy (docs/architecture.md#how-a-change-reaches-a-proxy). */
export interface PushRequest {
  /** False when nothing but endpoints changed. */
  readonly full: boolean;
  /** Keys of the changed objects; `everything` when no object names the change (mesh config). */
  readonly changed: 'everything' | ReadonlySet<ObjectKey>;
  /** Present if quotas that proxies enforce themselves may have changed (docs/policies.md#exact-or-fast). */
  readonly fastQuotas?: true;
  /** Hostnames whose endpoints changed. */
  readonly endpoints: ReadonlySet<string>;
  /** Addresses of workloads whose services changed. */
  readonly addresses: ReadonlySet<string>;
  /** One per merged request, not de-duplicated (docs/reference/metrics.md#pushes-and-xds, nav_push_triggers). */
  readonly reasons: readonly PushReason[];
  /** Start of the earliest merged change, in milliseconds of the monotonic clock. */
  readonly startMs: number;
}

/** The kind part of an object key. */
export function kindOfKey(key: ObjectKey): string {
  return key.slice(0, key.indexOf('/'));
}

export function mergePushRequests(first: PushRequest, second: PushRequest): PushRequest {
  return {
    full: first.full || second.full,
    changed:
      first.changed === 'everything' || second.changed === 'everything'
        ? 'everything'
        : union(first.changed, second.changed),
    ...((first.fastQuotas ?? second.fastQuotas) && { fastQuotas: true as const }),
    endpoints: union(first.endpoints, second.endpoints),
    addresses: union(first.addresses, second.addresses),
    reasons: [...first.reasons, ...second.reasons],
    startMs: Math.min(first.startMs, second.startMs),
  };
}

function union(first: ReadonlySet<string>, second: ReadonlySet<string>): ReadonlySet<string> {
  if (first.size === 0) return second;
  if (second.size === 0) return first;
  return new Set([...first, ...second]);
}
