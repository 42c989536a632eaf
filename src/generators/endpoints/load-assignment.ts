import { endpointAddress } from '../../envoy/addresses.js';
import { struct } from '../../envoy/struct.js';
import type { Locality } from '../../generated/envoy/config/core/v3/Locality.js';
import type { Metadata } from '../../generated/envoy/config/core/v3/Metadata.js';
import type { ClusterLoadAssignment } from '../../generated/envoy/config/endpoint/v3/ClusterLoadAssignment.js';
import type { LbEndpoint } from '../../generated/envoy/config/endpoint/v3/LbEndpoint.js';
import type { LocalityLbEndpoints } from '../../generated/envoy/config/endpoint/v3/LocalityLbEndpoints.js';
import type { Endpoint, Health } from '../../model/endpoint.js';
import { balanceLocalities, type LocalityBalance } from './locality-balance.js';

/** The fields of an endpoint that its load assignment has. */
export type LoadTarget = Pick<Endpoint, 'address' | 'port' | 'health' | 'locality' | 'network' | 'weight' | 'tlsMode'>;

/**
 * Envoy sends no new requests to an UNHEALTHY (2) or DRAINING (3) endpoint, but keeps its connections until their
 * requests end; it closes those of a removed endpoint. Enums are numbers, as the encoder of exact messages expects.
 */
const HEALTH_STATUS: Readonly<Record<Health, { healthStatus?: 2 | 3 }>> = {
  healthy: {},
  unhealthy: { healthStatus: 2 },
  draining: { healthStatus: 3 },
};

/**
 * The endpoints of one cluster, grouped by locality (docs/reference/xds.md#endpoints). Localities and addresses are
 * sorted, so equal sets of targets give equal messages. An address that is listed twice, for example while it moves
 * between slices, is sent once, in its healthiest state.
 *
 * @param balance undefined: localities get requests in proportion to their weights
 */
export function buildLoadAssignment(
  clusterName: string,
  targets: readonly LoadTarget[],
  balance?: LocalityBalance,
): ClusterLoadAssignment {
  if (targets.length === 0) return { clusterName };
  const sorted = fitWeights(withoutDuplicates(targets.toSorted(compareTargets)));
  const metadata = createMetadataCache();
  const byLocality = new Map<string, { endpoints: LbEndpoint[]; weight: number }>();
  for (const target of sorted) {
    let group = byLocality.get(target.locality);
    if (group === undefined) {
      group = { endpoints: [], weight: 0 };
      byLocality.set(target.locality, group);
    }
    group.endpoints.push(buildLbEndpoint(target, metadata(target)));
    group.weight += target.weight;
  }
  const localities = [...byLocality].sort(([a], [b]) => (a < b ? -1 : 1));
  if (balance === undefined) {
    return { clusterName, endpoints: localities.map(([name, group]) => buildLocality(name, group.endpoints, group)) };
  }
  const balanced = balanceLocalities(
    localities.map(([locality, { weight }]) => ({ locality, weight })),
    balance,
  );
  const endpoints = localities.flatMap(([name, group], index) => {
    const share = balanced[index];
    return share === undefined ? [] : [buildLocality(name, group.endpoints, share)];
  });
  return { clusterName, endpoints };
}

function buildLocality(
  name: string,
  lbEndpoints: LbEndpoint[],
  { weight, priority = 0 }: { readonly weight: number; readonly priority?: number },
): LocalityLbEndpoints {
  return {
    ...(name === '' ? {} : { locality: parseLocality(name) }),
    lbEndpoints,
    loadBalancingWeight: { value: weight },
    ...(priority === 0 ? {} : { priority }),
  };
}

function buildLbEndpoint(target: LoadTarget, metadata: Metadata | undefined): LbEndpoint {
  return {
    endpoint: { address: endpointAddress(target.address, target.port) },
    ...HEALTH_STATUS[target.health],
    ...(metadata === undefined ? {} : { metadata }),
    loadBalancingWeight: { value: target.weight },
  };
}

/** `region/zone/subzone`; the later parts may be missing. */
function parseLocality(locality: string): Locality {
  const [region = '', zone = '', ...rest] = locality.split('/');
  const subZone = rest.join('/');
  return {
    ...(region === '' ? {} : { region }),
    ...(zone === '' ? {} : { zone }),
    ...(subZone === '' ? {} : { subZone }),
  };
}

/** Most endpoints of a cluster have the same metadata: one object serves them all. */
function createMetadataCache(): (target: LoadTarget) => Metadata | undefined {
  let known: LoadTarget | undefined;
  let metadata: Metadata | undefined;
  return (target) => {
    if (known === undefined || known.network !== target.network || known.tlsMode !== target.tlsMode) {
      known = target;
      metadata = buildEndpointMetadata(target);
    }
    return metadata;
  };
}

const HEALTH_ORDER: Readonly<Record<Health, number>> = { healthy: 0, draining: 1, unhealthy: 2 };

function compareTargets(first: LoadTarget, second: LoadTarget): number {
  if (first.address !== second.address) return first.address < second.address ? -1 : 1;
  if (first.port !== second.port) return first.port - second.port;
  if (first.health !== second.health) return HEALTH_ORDER[first.health] - HEALTH_ORDER[second.health];
  if (first.weight !== second.weight) return first.weight - second.weight;
  const [a, b] = [first, second].map(({ locality, network, tlsMode }) => `${locality} ${network} ${tlsMode}`) as [
    string,
    string,
  ];
  return a < b ? -1 : a > b ? 1 : 0;
}

function withoutDuplicates(sorted: readonly LoadTarget[]): readonly LoadTarget[] {
  return sorted.filter((target, index) => {
    const previous = sorted[index - 1];
    return previous?.address !== target.address || previous.port !== target.port;
  });
}

/** Envoy refuses an assignment whose weights add up to more. */
const MAX_TOTAL_WEIGHT = 0xffff_ffff;

/**
 * Weights as Envoy accepts them: each at least 1, their sum within 32 bits. Larger sums are scaled down in proportion.
 */
export function fitWeights<T extends { readonly weight: number }>(items: readonly T[]): readonly T[] {
  let total = 0;
  let fits = true;
  for (const { weight } of items) {
    total += weight;
    fits &&= Number.isInteger(weight) && weight >= 1;
  }
  if (fits && total <= MAX_TOTAL_WEIGHT) return items;
  // Leaves room for weights that are rounded up to 1.
  const factor = Math.min(1, (MAX_TOTAL_WEIGHT - items.length) / total);
  return items.map((item) => ({ ...item, weight: Math.max(1, Math.floor(item.weight * factor)) }));
}

/** Metadata key by which Envoy selects the transport socket of an endpoint. */
const TRANSPORT_SOCKET_MATCH = 'envoy.transport_socket_match';

/** Metadata key for facts about clusters and endpoints. */
export const MESH_METADATA = 'mesh';

/**
 * Metadata of an endpoint (docs/reference/xds.md#endpoints): its network, and `tlsMode: mesh` where it takes mutual
 * TLS, by which the transport_socket_matches of its cluster select. Undefined when it has neither.
 */
function buildEndpointMetadata(endpoint: Pick<Endpoint, 'network' | 'tlsMode'>): Metadata | undefined {
  const { network, tlsMode } = endpoint;
  if (network === '' && tlsMode !== 'mesh') return undefined;
  return {
    filterMetadata: {
      ...(tlsMode === 'mesh' ? { [TRANSPORT_SOCKET_MATCH]: struct({ tlsMode }) } : {}),
      ...(network === '' ? {} : { [MESH_METADATA]: struct({ network }) }),
    },
  };
}
