import { endpointAddress } from '../../envoy/addresses.js';
import type { Locality } from '../../generated/envoy/config/core/v3/Locality.js';
import type { Metadata } from '../../generated/envoy/config/core/v3/Metadata.js';
import type { ClusterLoadAssignment } from '../../generated/envoy/config/endpoint/v3/ClusterLoadAssignment.js';
import type { LbEndpoint } from '../../generated/envoy/config/endpoint/v3/LbEndpoint.js';
import type { LocalityLbEndpoints } from '../../generated/envoy/config/endpoint/v3/LocalityLbEndpoints.js';
import type { Endpoint, Health } from '../../model/endpoint.js';
import { buildEndpointMetadata } from '../endpoint-metadata.js';
import { balanceLocalities, type LocalityBalance } from './locality-balance.js';
import { fitWeights } from './weights.js';

/** What of an endpoint goes into a load assignment. */
export type LoadTarget = Pick<Endpoint, 'address' | 'port' | 'health' | 'locality' | 'network' | 'weight' | 'tlsMode'>;

/**
 * Envoy sends nothing new to an UNHEALTHY (2) or DRAINING (3) endpoint; unlike an endpoint that is gone, it
 * keeps its connections until what runs on them is done. Numbers, so that the message is exact for the encoder.
 */
const HEALTH_STATUS: Readonly<Record<Health, { healthStatus?: 2 | 3 }>> = {
  healthy: {},
  unhealthy: { healthStatus: 2 },
  draining: { healthStatus: 3 },
};

/**
 * The endpoints of one cluster, grouped by locality (BEHAVIOUR 5, "EDS"). Equal sets of targets give equal
 * messages whatever their order: localities are sorted, and in them addresses. An address that is listed
 * twice (it moves from one slice to another, say) is sent once, in its healthiest state. Enums are numbers, so
 * the message is an exact one for the encoder.
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
