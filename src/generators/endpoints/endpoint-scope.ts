import { hash } from 'node:crypto';
import { createMemo } from '../../model/memo.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { shadowedKey } from '../../model/snapshot/endpoints-of.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import type { Scope } from '../generator.js';
import { createGatewayLookup, type NetworkGateways } from './network-gateways.js';

/** The inputs of an assignment beside its service: the networks, cluster, locality and namespace of the proxy. */
export interface EndpointScope extends Scope {
  /** Network of the proxy; empty while no network has a gateway, because it does not matter then. */
  readonly network: string;
  /** Networks whose endpoints the proxy wants; undefined for all. Endpoints without network are always wanted. */
  readonly networkView: ReadonlySet<string> | undefined;
  readonly gateways: NetworkGateways;
  /** Cluster of the proxy; empty while no host is cluster-local. */
  readonly cluster: string;
  /** Services that the namespace of the proxy sees instead of the service of the same host in the rest of the mesh. */
  readonly ownServices: OwnServices;
  /** The clusters of services as the proxy sees them; the key names their policies, not the services. */
  readonly traffic: Pick<TrafficView, 'clustersOf'>;
  /** Of the proxy; empty while no policy balances by locality. */
  readonly locality: string;
  /** Key of network, network view and gateways, which all hosts depend on. */
  readonly networkKey: string;
}

/** Reads a proxy's endpoint scope. Gateways are resolved once per snapshot. */
export function createEndpointScoper(): (context: PushContext, proxy: Proxy) => EndpointScope {
  const gatewaysOf = createGatewayLookup();
  const ownServicesOf = createOwnServiceLookup();
  return (context, proxy) => {
    const gateways = gatewaysOf(context);
    const network = networkOf(proxy, gateways);
    const cluster = context.mesh.clusterLocalHosts.length === 0 ? '' : context.clusterOf(proxy.metadata.clusterId);
    const requested = proxy.metadata.requestedNetworkView;
    const networkView = requested.length === 0 ? undefined : new Set(requested);
    const view = networkView === undefined ? '' : JSON.stringify([...networkView].sort());
    const networkKey = JSON.stringify([network, view, gateways.id]);
    const traffic = context.trafficOf(proxy).inAnyCluster;
    const ownServices = ownServicesOf(context, traffic.services);
    const locality = traffic.balancesByLocality ? proxy.locality : '';
    const key = `${networkKey}${cluster}|${ownServices.key}|${traffic.clustersId}|${locality}`;
    return { key, network, networkView, gateways, cluster, ownServices, traffic, locality, networkKey };
  };
}

/**
 * Stands for every network without a gateway: their proxies share assignments, and a proxy can invent any number of
 * networks.
 */
const WITHOUT_GATEWAY = 'no gateway';

function networkOf({ metadata }: Proxy, { byNetwork }: NetworkGateways): string {
  const { network = '' } = metadata;
  if (byNetwork.size === 0 || network === '') return '';
  return byNetwork.has(network) ? network : WITHOUT_GATEWAY;
}

/** The services of a view that differ from the service of the same host in the rest of the mesh. */
export interface OwnServices {
  readonly byHost: ReadonlyMap<string, Service>;
  /** Equal keys have equal services within one snapshot; empty when there are none. */
  readonly key: string;
}

const NONE: OwnServices = { byHost: new Map(), key: '' };

/**
 * Compares a view with the mesh, once for as long as both have the same services. In most meshes no two namespaces
 * claim a host, and there is no difference.
 */
function createOwnServiceLookup(): (context: PushContext, view: ServiceView) => OwnServices {
  const memo = createMemo<OwnServices>();
  return ({ servicesByHost, shadowedByHost }, view) =>
    shadowedByHost.size === 0 ? NONE : memo.of([view, servicesByHost], '', () => ownServices(view, servicesByHost));
}

function ownServices(view: ServiceView, servicesByHost: PushContext['servicesByHost']): OwnServices {
  const own = view.services.filter((service) => servicesByHost.get(service.hostname) !== service);
  if (own.length === 0) return NONE;
  // One namespace has one service per host.
  const key = hash('sha256', own.map(shadowedKey).sort().join(), 'base64url').slice(0, 22);
  return { byHost: new Map(own.map((service) => [service.hostname, service])), key };
}
