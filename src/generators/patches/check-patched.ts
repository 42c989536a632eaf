import { HTTP_CONNECTION_MANAGER } from '../../envoy/http-connection-manager.js';
import type { MessageFields } from '../../envoy/messages/message-problem.js';
import { type FilterPlace, HTTP_FILTERS, isOpaqueFilter, NETWORK_FILTERS } from './filter-kinds.js';
import { listOf, messageIn, numberIn, type PatchTools, textIn } from './patch-tools.js';

/** Cluster.DiscoveryType */
const EDS = 3;
const ORIGINAL_DST = 4;
/** Cluster.LbPolicy */
const CLUSTER_PROVIDED = 6;

/** The reason why Envoy would reject a patched cluster, beside the rules of its fields; undefined if there is none. */
export function faultOfCluster(_tools: PatchTools, cluster: MessageFields): string | undefined {
  if (messageIn(cluster, 'clusterType') !== undefined) return undefined;
  const type = numberIn(cluster, 'type');
  const hasAssignment = messageIn(cluster, 'loadAssignment') !== undefined;
  if (type === EDS && messageIn(messageIn(cluster, 'edsClusterConfig'), 'edsConfig') === undefined) {
    return 'a cluster of type EDS needs edsClusterConfig.edsConfig';
  }
  if (hasAssignment && type === ORIGINAL_DST) return 'a cluster of type ORIGINAL_DST has no loadAssignment';
  const isProvided = numberIn(cluster, 'lbPolicy') === CLUSTER_PROVIDED;
  if (messageIn(cluster, 'loadBalancingPolicy') === undefined && isProvided !== (type === ORIGINAL_DST)) {
    return 'a cluster has lbPolicy CLUSTER_PROVIDED exactly if its type is ORIGINAL_DST';
  }
  return undefined;
}

/** The same for a route configuration. */
export function faultOfRoutes(_tools: PatchTools, routes: MessageFields): string | undefined {
  const domains = new Set<string>();
  for (const host of listOf(routes, 'virtualHosts')) {
    for (const domain of listOf(host, 'domains') as unknown as readonly string[]) {
      const name = domain.toLowerCase();
      if (domains.has(name)) return `two virtual hosts have the domain ${domain}`;
      domains.add(name);
    }
  }
  return undefined;
}

/** The same for a listener. */
export function faultOfListener(tools: PatchTools, listener: MessageFields): string | undefined {
  const chains = [...listOf(listener, 'filterChains')];
  const last = messageIn(listener, 'defaultFilterChain');
  const isForDatagrams = listOf(listener, 'listenerFilters').length > 0 && messageIn(listener, 'udpListenerConfig');
  const isInternal = messageIn(listener, 'apiListener') !== undefined;
  const protocol = numberIn(messageIn(messageIn(listener, 'address'), 'socketAddress'), 'protocol');
  if (chains.length === 0 && last === undefined && !isForDatagrams && !isInternal && protocol === 0) {
    return 'the listener has no filter chain';
  }
  const matches = new Set<string>();
  for (const chain of chains) {
    const match = JSON.stringify(messageIn(chain, 'filterChainMatch') ?? {});
    if (matches.has(match) && messageIn(listener, 'filterChainMatcher') === undefined) {
      return 'two filter chains match the same connections';
    }
    matches.add(match);
  }
  if (last !== undefined) chains.push(last);
  for (const chain of chains) {
    const fault = faultOfChain(tools, listOf(chain, 'filters'));
    if (fault !== undefined) return `filter chain ${textIn(chain, 'name') || 'without a name'}: ${fault}`;
  }
  return undefined;
}

function faultOfChain(tools: PatchTools, filters: readonly MessageFields[]): string | undefined {
  const fault = faultOfOrder(filters, NETWORK_FILTERS);
  if (fault !== undefined) return fault;
  for (const filter of filters) {
    const manager = tools.open(filter['typedConfig'], HTTP_CONNECTION_MANAGER);
    if (manager === undefined) continue;
    const routes = messageIn(manager, 'routeConfig');
    const inside =
      faultOfOrder(listOf(manager, 'httpFilters'), HTTP_FILTERS) ??
      (routes === undefined ? undefined : faultOfRoutes(tools, routes));
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function faultOfOrder(filters: readonly MessageFields[], { isTerminal, isForeign }: FilterPlace): string | undefined {
  const bare = filters.find((filter) => ['typedConfig', 'configDiscovery'].every((field) => !messageIn(filter, field)));
  if (bare !== undefined) return `${textIn(bare, 'name')} has neither typedConfig nor configDiscovery`;
  const foreign = filters.find(isForeign);
  if (foreign !== undefined) return `${textIn(foreign, 'name')} is a filter for another place`;
  const place = filters.findIndex(isTerminal);
  if (place === -1) {
    // The type in a TypedStruct may be of any kind.
    if (isOpaqueFilter(filters.at(-1))) return undefined;
    const others = filters.map((filter) => textIn(filter, 'name')).join(', ');
    return `no filter forwards the traffic (${others === '' ? 'it has none' : others})`;
  }
  if (place === filters.length - 1) return undefined;
  return `${textIn(filters[place], 'name')} is not the last filter`;
}
