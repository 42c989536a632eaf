import type { Endpoint, ServiceEndpoints, ShardKey } from '../endpoint.js';
import type { ServiceContribution } from '../registry/service-contribution.js';
import type { Registry, Service, ServiceInCluster } from '../service.js';
import { compareAge, compareRanks, compareText } from '../service-order.js';

const REGISTRY_RANK: Readonly<Record<Registry, number>> = { Orchestrator: 0, Catalog: 1, Mock: 2, External: 3 };

/**
 * The orchestrator before other registries, the own cluster of the control plane before others, older before younger,
 * then by key.
 */
export function rankContributions(
  contributions: readonly ServiceContribution[],
  ownCluster: string,
): readonly ServiceContribution[] {
  const clusterRank = (contribution: ServiceContribution): number => (contribution.cluster === ownCluster ? 0 : 1);
  return contributions.toSorted(
    (first, second) =>
      REGISTRY_RANK[first.service.registry] - REGISTRY_RANK[second.service.registry] ||
      clusterRank(first) - clusterRank(second) ||
      compareAge(first.service.creationTimestamp, second.service.creationTimestamp) ||
      compareText(first.service.source, second.service.source) ||
      compareText(first.cluster, second.cluster),
  );
}

/** The precedence of services of different namespaces that claim one host. */
export function compareCandidates(first: Service, second: Service): number {
  return (
    REGISTRY_RANK[first.registry] - REGISTRY_RANK[second.registry] ||
    compareRanks(first, second) ||
    compareAge(first.creationTimestamp, second.creationTimestamp) ||
    compareText(first.namespace, second.namespace)
  );
}

/** `<registry>/<cluster>` */
function shardKeyOf({ service, cluster }: ServiceContribution): ShardKey {
  return `${service.registry}/${cluster}`;
}

/**
 * The endpoints of all contributions, by shard. A shard without endpoints stays. A service that lost its last endpoint
 * keeps its identities: when endpoints return, clients need only those (docs/reference/xds.md#endpoints).
 */
export function mergeEndpoints(
  contributions: readonly ServiceContribution[],
  previous: ServiceEndpoints | undefined,
): ServiceEndpoints {
  const { hostname, namespace } = (contributions[0] as ServiceContribution).service;
  const shards = new Map<ShardKey, readonly Endpoint[]>();
  for (const contribution of contributions) {
    const key = shardKeyOf(contribution);
    const known = shards.get(key);
    shards.set(key, known === undefined ? contribution.endpoints : [...known, ...contribution.endpoints]);
  }
  for (const [key, endpoints] of shards) {
    const before = previous?.shards.get(key);
    // Only a shard of several contributions is a new array.
    if (contributions.length > shards.size) shards.set(key, keepArray(before, orderEndpoints(endpoints)));
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

/** By address, port and port name: the order of every list of endpoints. */
function compareEndpoints(first: Endpoint, second: Endpoint): number {
  if (first.address !== second.address) return first.address < second.address ? -1 : 1;
  if (first.port !== second.port) return first.port - second.port;
  if (first.portName === second.portName) return 0;
  return first.portName < second.portName ? -1 : 1;
}

/** Sorted, without duplicates: an endpoint may be in two slices while it moves between them. */
export function orderEndpoints(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints
    .toSorted(compareEndpoints)
    .filter(
      (endpoint, index, sorted) => index === 0 || compareEndpoints(sorted[index - 1] as Endpoint, endpoint) !== 0,
    );
}

/**
 * The Service in each cluster that has it.
 *
 * @returns undefined if only the own cluster has the service, without external addresses
 */
export function serviceByCluster(
  contributions: readonly ServiceContribution[],
  ownCluster: string,
): ReadonlyMap<string, ServiceInCluster> | undefined {
  const byCluster = new Map<string, ServiceInCluster>();
  let isNews = false;
  for (const { service, cluster, externalAddresses = [] } of contributions) {
    if (service.registry !== 'Orchestrator' || byCluster.has(cluster)) continue;
    byCluster.set(cluster, { addresses: service.addresses, externalAddresses });
    isNews ||= cluster !== ownCluster || externalAddresses.length > 0;
  }
  // Sorted, because the order of contributions may change with their ages while the content stays.
  return isNews ? new Map([...byCluster].sort(([first], [second]) => compareText(first, second))) : undefined;
}
