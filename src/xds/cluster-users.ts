import { TypeUrl } from '../envoy/type-urls.js';
import type { Subscriptions } from './subscriptions.js';
import { waitsForTables } from './virtual-host-resources.js';
import type { WatchedResource } from './watched-resource.js';

/** The types whose resources send requests to clusters. */
const USERS: readonly string[] = [TypeUrl.listener, TypeUrl.extensionConfig, TypeUrl.route, TypeUrl.virtualHost];

/**
 * Whether a type has to wait: its resources may name clusters that the proxy was just sent, and it would answer requests
 * to these with 503 while it waits for their endpoints. Envoy acknowledges clusters once none of them waits.
 */
export function waitsForClusters({ provider, pending }: WatchedResource, subscriptions: Subscriptions): boolean {
  if (pending !== 'ifChanged' || !USERS.includes(provider.typeUrl)) return false;
  return subscriptions.get(TypeUrl.cluster)?.isAddingResources ?? false;
}

/** Whether listeners, routes or virtual hosts that may still name old clusters are about to be replaced. */
export function hasPendingUsers(subscriptions: Subscriptions): boolean {
  return USERS.some((typeUrl) => {
    const watched = subscriptions.get(typeUrl);
    return watched !== undefined && watched.pending !== 'no' && !waitsForTables(watched, subscriptions);
  });
}
