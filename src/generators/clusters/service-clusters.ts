import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { Proxy, ProxyType } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';
import type { Port, Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import { addressFamiliesOf } from '../address-families.js';
import type { LoadTarget } from '../endpoints/load-assignment.js';
import { visibleEndpoints } from '../endpoints/visible-endpoints.js';
import { withTakenTls } from '../security/endpoint-tls.js';
import type { GeneratorSettings } from '../settings.js';
import { buildOutboundCluster, type OutboundDiscovery, outboundDiscovery } from './outbound-cluster.js';
import { clusterTlsMode, createOutboundTls } from './outbound-tls.js';
import type { UpstreamProtocols } from './upstream-protocols.js';

/** The facts of a proxy that its clusters of services depend on. */
export interface ServiceClustersView {
  /** Regardless of the cluster of the proxy. */
  readonly traffic: TrafficView;
  readonly proxyType: ProxyType;
  readonly ipv6Only: boolean;
  /** Sorted; empty for all. Read for services that the proxy resolves by DNS. */
  readonly networkView: readonly string[];
  /** Of the proxy; empty while no policy balances by locality. Read for services that the proxy resolves by DNS. */
  readonly locality: string;
  /** Whether it has a certificate, and the mesh uses mutual TLS where both sides can. */
  readonly sendsMutualTls: boolean;
}

/** The view of a proxy, and a key with all its facts. */
export function serviceClustersViewOf(
  context: PushContext,
  { type, ipAddresses, locality, metadata, hasSecrets }: Proxy,
  traffic: TrafficView,
): { readonly key: string; readonly view: ServiceClustersView } {
  const ipv6Only = !addressFamiliesOf(ipAddresses).ipv4;
  const networkView = [...new Set(metadata.requestedNetworkView)].sort();
  const sendsMutualTls = hasSecrets && context.mesh.enableAutoMtls;
  const flags = [ipv6Only ? 'ipv6' : '', sendsMutualTls ? 'mtls' : ''].join();
  const callerLocality = traffic.balancesByLocality ? locality : '';
  const places = JSON.stringify([networkView, callerLocality]);
  return {
    key: [traffic.services.id, traffic.clustersId, type, flags, places].join('|'),
    view: { traffic, proxyType: type, ipv6Only, networkView, locality: callerLocality, sendsMutualTls },
  };
}

interface DiscoveredCluster {
  readonly cluster: ServiceCluster;
  readonly discovery: OutboundDiscovery;
}

/** Clusters of one service. */
export interface DiscoveredClusters {
  readonly clusters: readonly DiscoveredCluster[];
  /** Whether the proxy resolves one of them itself: only such a cluster contains its endpoints. */
  readonly isInline: boolean;
  readonly keepsDestination: boolean;
  /** Whether one of them always uses the mesh's mutual TLS. */
  readonly isMeshTls: boolean;
}

/** @param edsForHeadless NAV_ENABLE_EDS_FOR_HEADLESS_SERVICES */
export function discoverClusters(
  service: Service,
  clusters: readonly ServiceCluster[],
  proxyType: ProxyType,
  edsForHeadless: boolean,
): DiscoveredClusters {
  const discovered = clusters.map((cluster) => ({
    cluster,
    discovery: outboundDiscovery(service, cluster.policy, proxyType, edsForHeadless),
  }));
  return {
    clusters: discovered,
    isInline: discovered.some(({ discovery }) => discovery === 'dns'),
    keepsDestination: discovered.some(({ discovery }) => discovery === 'originalDestination'),
    isMeshTls: clusters.some(({ policy }) => policy.tls.mode === 'mesh'),
  };
}

/** The inputs of a service's clusters beside its policies and the mesh config; undefined where they do not matter. */
export interface ClusterInputs {
  readonly endpoints: ServiceEndpoints | undefined;
  readonly serviceAccounts: readonly string[] | undefined;
  readonly mutualTls: NamespaceMutualTls | undefined;
}

const NO_INPUTS: ClusterInputs = { endpoints: undefined, serviceAccounts: undefined, mutualTls: undefined };
const NO_ACCOUNTS: readonly string[] = [];

export function clusterInputsOf(
  context: PushContext,
  service: Service,
  { isInline, keepsDestination, isMeshTls }: DiscoveredClusters,
  sendsMutualTls: boolean,
): ClusterInputs {
  const namesServers = sendsMutualTls || isMeshTls;
  const readsEndpoints = isInline || (sendsMutualTls && keepsDestination);
  if (!namesServers && !readsEndpoints) return NO_INPUTS;
  const endpoints = endpointsOf(context, service);
  return {
    endpoints: readsEndpoints ? endpoints : undefined,
    serviceAccounts: namesServers ? endpoints?.serviceAccounts : undefined,
    mutualTls: readsEndpoints ? context.peerAuthentications.ofNamespace(service.namespace) : undefined,
  };
}

/** Builds the clusters of a service, in their order. */
export type BuildServiceClusters = (
  context: PushContext,
  service: Service,
  clusters: DiscoveredClusters,
  inputs: ClusterInputs,
  view: ServiceClustersView,
) => readonly Cluster[];

export function createServiceClusters(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  protocols: UpstreamProtocols,
): BuildServiceClusters {
  const tlsOf = createOutboundTls(encoder, settings);
  return (context, service, { clusters }, { endpoints, serviceAccounts = NO_ACCOUNTS }, view) => {
    const { mesh, peerAuthentications } = context;
    const { ipv6Only, networkView, locality, sendsMutualTls } = view;
    const networks = networkView.length === 0 ? undefined : new Set(networkView);
    const mutualTls = peerAuthentications.ofNamespace(service.namespace);
    const targetsOf = ({ cluster: { port, destination }, discovery }: DiscoveredCluster): readonly LoadTarget[] => {
      if (discovery !== 'dns') return [];
      if (endpoints === undefined) return hostItself(service, port);
      const { labels } = destination.subset;
      const filter = { portName: port.name, labels, networkView: networks, cluster: undefined };
      return withTakenTls(visibleEndpoints(endpoints, filter), mutualTls);
    };
    return clusters.map((each) => {
      const { cluster, discovery } = each;
      const mode = clusterTlsMode(cluster, discovery, sendsMutualTls, endpoints, mutualTls);
      const tls = tlsOf(mode, { mesh, cluster, serviceAccounts });
      const targets = targetsOf(each);
      const input = { service, cluster, discovery, mesh, ipv6Only, targets, callerLocality: locality, tls };
      return buildOutboundCluster(input, settings, protocols);
    });
  };
}

/** A service without known endpoints is resolved by its own name. */
function hostItself({ hostname, externalName = hostname }: Service, { number }: Port): readonly LoadTarget[] {
  if (externalName.startsWith('*')) return [];
  const target = { address: externalName, port: number, locality: '', network: '', weight: 1 };
  return [{ ...target, health: 'healthy', tlsMode: 'disabled' }];
}
