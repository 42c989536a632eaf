import { parseOutboundClusterName } from '../../envoy/names.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import { memoize } from '../../model/memo.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';

/** The clusters and localities that load reports may name. A proxy can invent any name, and each would be a series. */
export interface KnownLoads {
  /**
   * Whether the mesh has the cluster: its service, its port, and its subset in the DestinationRule that a namespace sees.
   *
   * @param namespace of the proxy; undefined for any subset
   */
  hasCluster(name: string, namespace?: string): boolean;
  /** Whether an endpoint of the cluster's service has the locality. Every cluster has the empty one. */
  hasLocality(cluster: string, locality: string): boolean;
}

/** @param context the newest snapshot */
export function createKnownLoads(context: () => PushContext | undefined): KnownLoads {
  const localitiesOf = memoize(
    ({ shards }: ServiceEndpoints) =>
      new Set([...shards.values()].flatMap((shard) => shard.map(({ locality }) => locality))),
  );

  const servicesOf = ({ servicesByHost, shadowedByHost }: PushContext, hostname: string): readonly Service[] => {
    const service = servicesByHost.get(hostname);
    return service === undefined ? [] : [service, ...(shadowedByHost.get(hostname) ?? [])];
  };

  return {
    hasCluster: (name, namespace) => {
      const newest = context();
      const outbound = parseOutboundClusterName(name);
      if (newest === undefined || outbound === undefined) return false;
      const { hostname, port, subset } = outbound;
      return servicesOf(newest, hostname).some((service) => {
        if (!service.ports.some(({ number }) => number === port)) return false;
        if (subset === '' || namespace === undefined) return true;
        const rule = newest.destinationRules.visibleFrom(namespace).ruleOf(service);
        return rule?.subsets.some((each) => each.name === subset) === true;
      });
    },
    hasLocality: (cluster, locality) => {
      const newest = context();
      if (locality === '') return true;
      const hostname = parseOutboundClusterName(cluster)?.hostname ?? '';
      if (newest === undefined) return false;
      return servicesOf(newest, hostname).some((service) => {
        const endpoints = endpointsOf(newest, service);
        return endpoints !== undefined && localitiesOf(endpoints).has(locality);
      });
    },
  };
}
