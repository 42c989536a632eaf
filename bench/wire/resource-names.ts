import { forEachResource } from './discovery-response.js';
import type { WireReader } from './wire-reader.js';

/** envoy.config.cluster.v3.Cluster: name, type and eds_cluster_config.service_name. */
const CLUSTER = { name: 1, type: 2, edsClusterConfig: 3, edsServiceName: 2, typeEds: 3 } as const;
/** The way from a Listener to a route name: filter chains, their filters, HttpConnectionManager.rds. */
const LISTENER = { filterChains: 3, defaultFilterChain: 25, chainFilters: 3, filterTypedConfig: 4 } as const;
const ANY = { typeUrl: 1, value: 2 } as const;
const HTTP_CONNECTION_MANAGER = {
  typeUrl: 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  rds: 3,
  routeConfigName: 2,
} as const;
/** ClusterLoadAssignment.cluster_name and RouteConfiguration.name have the same number. */
const NAME = 1;
/** RouteConfiguration.vhds */
const VHDS = 9;

/** Reads the resources of a response, state of the world or delta. */
type ForEachResource = typeof forEachResource;

/** Names of the assignments that the EDS clusters of a CDS response ask for, in its order, without duplicates. */
export function readEndpointNames(cdsResponse: Buffer, forEach: ForEachResource = forEachResource): readonly string[] {
  const names = new Set<string>();
  forEach(cdsResponse, (cluster) => {
    let name = '';
    let serviceName = '';
    let isEds = false;
    while (cluster.next()) {
      if (cluster.field === CLUSTER.name) name = cluster.text();
      else if (cluster.field === CLUSTER.type) isEds = cluster.varint === CLUSTER.typeEds;
      else if (cluster.field === CLUSTER.edsClusterConfig)
        serviceName = readText(cluster.message(), CLUSTER.edsServiceName);
    }
    if (isEds) names.add(serviceName === '' ? name : serviceName);
  });
  return [...names];
}

/** Names of the route configurations that the listeners of an LDS response fetch by RDS, sorted, without duplicates. */
export function readRouteNames(ldsResponse: Buffer, forEach: ForEachResource = forEachResource): readonly string[] {
  const names = new Set<string>();
  forEach(ldsResponse, (listener) => {
    while (listener.next()) {
      if (listener.field === LISTENER.filterChains || listener.field === LISTENER.defaultFilterChain) {
        addRouteNamesOfChain(listener.message(), names);
      }
    }
  });
  return [...names].sort();
}

/** Whether a route configuration of an RDS response lets the client ask for its virtual hosts. */
export function asksForVirtualHosts(rdsResponse: Buffer, forEach: ForEachResource): boolean {
  let asks = false;
  forEach(rdsResponse, (table) => {
    while (table.next()) if (table.field === VHDS) asks = true;
  });
  return asks;
}

/** Names of the resources in an EDS or RDS response. */
export function readResourceNames(response: Buffer): readonly string[] {
  const names: string[] = [];
  forEachResource(response, (resource) => names.push(readText(resource, NAME)));
  return names;
}

function addRouteNamesOfChain(chain: WireReader, names: Set<string>): void {
  while (chain.next()) {
    if (chain.field !== LISTENER.chainFilters) continue;
    const filter = chain.message();
    while (filter.next()) {
      if (filter.field !== LISTENER.filterTypedConfig) continue;
      const name = readRouteName(filter.message());
      if (name !== '') names.add(name);
    }
  }
}

function readRouteName(typedConfig: WireReader): string {
  let typeUrl = '';
  let value: WireReader | undefined;
  while (typedConfig.next()) {
    if (typedConfig.field === ANY.typeUrl) typeUrl = typedConfig.text();
    else if (typedConfig.field === ANY.value) value = typedConfig.message();
  }
  if (value === undefined || typeUrl !== HTTP_CONNECTION_MANAGER.typeUrl) return '';
  while (value.next()) {
    if (value.field === HTTP_CONNECTION_MANAGER.rds) {
      return readText(value.message(), HTTP_CONNECTION_MANAGER.routeConfigName);
    }
  }
  return '';
}

function readText(message: WireReader, field: number): string {
  while (message.next()) if (message.field === field) return message.text();
  return '';
}
