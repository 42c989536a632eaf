import type { ResourceSet } from '../envoy/resource-set.js';
import { TypeUrl } from '../envoy/type-urls.js';
import type { DeltaMemory } from './delta/delta-memory.js';
import type { Subscriptions } from './subscriptions.js';
import { waitsForTables } from './virtual-host-resources.js';
import type { WatchedResource } from './watched-resource.js';

/** The types whose resources send requests to clusters. */
export const USERS: readonly string[] = [TypeUrl.listener, TypeUrl.extensionConfig, TypeUrl.route, TypeUrl.virtualHost];

/**
 * Whether a type has to wait: its resources may name clusters that the proxy was just sent, and it would answer requests
 * to these with 503 while it waits for their endpoints. Envoy acknowledges clusters once none of them waits. Clusters of a
 * newer configuration that wait for an answer go first too: the resources are made from that configuration.
 */
export function waitsForClusters({ provider, pending }: WatchedResource, subscriptions: Subscriptions): boolean {
  if (pending !== 'ifChanged' || !USERS.includes(provider.typeUrl)) return false;
  const clusters = subscriptions.get(TypeUrl.cluster);
  return clusters !== undefined && (clusters.outstanding.isAddingResources || clusters.isHeldUp);
}

/** Whether any type waits for clusters. */
export function haveWaitingUsers(subscriptions: Subscriptions): boolean {
  for (const watched of subscriptions.values()) if (waitsForClusters(watched, subscriptions)) return true;
  return false;
}

/** Whether listeners, routes or virtual hosts that may still name old clusters are about to be replaced. */
export function hasPendingUsers(subscriptions: Subscriptions): boolean {
  return USERS.some((typeUrl) => {
    const watched = subscriptions.get(typeUrl);
    return watched !== undefined && watched.pending !== 'no' && !waitsForTables(watched, subscriptions);
  });
}

export interface WithoutGaps {
  readonly set: ResourceSet;
  /** Whether it has clusters that leave once the listeners and routes that used them are replaced. */
  readonly hasOldClusters: boolean;
}

/**
 * The resources that a proxy in state of the world may be sent now: with the clusters, and the endpoints of clusters, that
 * its listeners and routes still use.
 *
 * @param set the resources that it should have
 * @param isInUse whether listeners or routes at the proxy may still name old clusters
 */
export function withoutGaps(
  watched: WatchedResource,
  set: ResourceSet,
  memory: Pick<DeltaMemory, 'withOld' | 'withKnown'>,
  isInUse: () => boolean,
): WithoutGaps {
  const { sent, provider, mayHaveOthers } = watched;
  if (sent === undefined || mayHaveOthers) return { set, hasOldClusters: false };
  if (provider.typeUrl === TypeUrl.cluster) {
    if (provider.diffs.diff(sent, set).removed.length === 0) return { set, hasOldClusters: false };
    const both = memory.withOld(sent, set);
    if (isInUse()) return { set: both, hasOldClusters: true };
    return { set: watched.isRejected(both) ? both : set, hasOldClusters: false };
  }
  // The endpoints of a cluster that is about to leave: it leaves with them.
  const hasVanished =
    provider.answersUnknownNames && provider.diffs.diff(sent, set).changed.some(({ isUnknown }) => isUnknown === true);
  return { set: hasVanished ? memory.withKnown(sent, set) : set, hasOldClusters: false };
}
