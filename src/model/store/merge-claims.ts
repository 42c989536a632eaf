import type { Endpoint, ServiceEndpoints, ShardKey } from '../endpoint.js';
import { orderEndpoints } from '../registry/order-endpoints.js';
import type { ServiceClaim } from '../registry/service-claim.js';
import type { Registry, Service } from '../service.js';
import { compareAge, compareRanks, compareText } from '../service-order.js';

const REGISTRY_RANK: Readonly<Record<Registry, number>> = { Orchestrator: 0, Catalog: 1, Mock: 2, External: 3 };

/** Orchestrator before the rest, the control plane's own cluster before others, older before younger, then by key. */
export function rankClaims(claims: readonly ServiceClaim[], ownCluster: string): readonly ServiceClaim[] {
  const clusterRank = (claim: ServiceClaim): number => (claim.cluster === ownCluster ? 0 : 1);
  return claims.toSorted(
    (first, second) =>
      REGISTRY_RANK[first.service.registry] - REGISTRY_RANK[second.service.registry] ||
      clusterRank(first) - clusterRank(second) ||
      compareAge(first.service.creationTimestamp, second.service.creationTimestamp) ||
      compareText(first.service.source, second.service.source) ||
      compareText(first.cluster, second.cluster),
  );
}

/** Which of the services that claim one host from different namespaces comes first. */
export function compareCandidates(first: Service, second: Service): number {
  return (
    REGISTRY_RANK[first.registry] - REGISTRY_RANK[second.registry] ||
    compareRanks(first, second) ||
    compareAge(first.creationTimestamp, second.creationTimestamp) ||
    compareText(first.namespace, second.namespace)
  );
}

/** `<registry>/<cluster>` */
function shardKeyOf({ service, cluster }: ServiceClaim): ShardKey {
  return `${service.registry}/${cluster}`;
}

/**
 * The endpoints of all claims, by shard. A shard without endpoints stays. Identities of a service that lost
 * its last endpoint are remembered: going down to nothing and up again changes nothing for its clients but
 * endpoints (BEHAVIOUR 5, "EDS").
 */
export function mergeEndpoints(
  claims: readonly ServiceClaim[],
  previous: ServiceEndpoints | undefined,
): ServiceEndpoints {
  const { hostname, namespace } = (claims[0] as ServiceClaim).service;
  const shards = new Map<ShardKey, readonly Endpoint[]>();
  for (const claim of claims) {
    const key = shardKeyOf(claim);
    const known = shards.get(key);
    shards.set(key, known === undefined ? claim.endpoints : [...known, ...claim.endpoints]);
  }
  for (const [key, endpoints] of shards) {
    const before = previous?.shards.get(key);
    // Only a shard of several claims is a new array.
    if (claims.length > shards.size) shards.set(key, keepArray(before, orderEndpoints(endpoints)));
  }
  const serviceAccounts = accountsOf(shards, previous?.serviceAccounts);
  const isSame =
    previous !== undefined &&
    previous.serviceAccounts === serviceAccounts &&
    previous.shards.size === shards.size &&
    [...shards].every(([key, endpoints]) => previous.shards.get(key) === endpoints);
  return isSame ? previous : { hostname, namespace, shards, serviceAccounts };
}

function accountsOf(
  shards: ReadonlyMap<ShardKey, readonly Endpoint[]>,
  previous: readonly string[] | undefined,
): readonly string[] {
  const accounts = new Set<string>();
  let isEmpty = true;
  for (const endpoints of shards.values()) {
    for (const { serviceAccount } of endpoints) {
      isEmpty = false;
      if (serviceAccount !== '') accounts.add(serviceAccount);
    }
  }
  if (isEmpty && previous !== undefined) return previous;
  return keepArray(previous, [...accounts].sort());
}

function keepArray<Item>(previous: readonly Item[] | undefined, next: readonly Item[]): readonly Item[] {
  const isSame = previous?.length === next.length && next.every((item, index) => item === previous[index]);
  return isSame ? previous : next;
}
