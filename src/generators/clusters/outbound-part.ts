import { inOneStep, type Steps } from '../../base/steps.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { Finding } from '../../model/finding.js';
import { createMemo, memoize } from '../../model/memo.js';
import type { ProxyType } from '../../model/proxy.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';
import type { Port, Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import { addressFamiliesOf } from '../address-families.js';
import type { LoadTarget } from '../endpoints/load-assignment.js';
import { visibleEndpoints } from '../endpoints/visible-endpoints.js';
import type { GatewayRouter } from '../gateways/gateway-router.js';
import type { Generated, ResourcePart, Scope } from '../generator.js';
import { createRecent } from '../recent.js';
import { withTakenTls } from '../security/endpoint-tls.js';
import type { GeneratorSettings } from '../settings.js';
import { buildOutboundCluster, type OutboundDiscovery, outboundDiscovery } from './outbound-cluster.js';
import { clusterTlsMode, createOutboundTls } from './outbound-tls.js';
import type { UpstreamProtocols } from './upstream-protocols.js';

export interface OutboundScope extends Scope {
  /** The hosts whose clusters are made; undefined for all. */
  readonly onlyHosts: ReadonlySet<string> | undefined;
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

/**
 * Number of combinations of networks and locality whose clusters are remembered, the last used ones. Proxies can invent
 * any number of them.
 */
const MAX_VIEWS = 64;

/** Clusters of one service, each with its port. */
type EncodedClusters = readonly { readonly port: number; readonly resource: EncodedResource }[];

/** Stands for an input that the clusters of a service do not depend on. */
const NO_INPUT = {};
const NO_ACCOUNTS: readonly string[] = [];

/** One cluster per port and subset of every service in view, encoded again only when one of its inputs has changed. */
export function createOutboundPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  protocols: UpstreamProtocols,
  { clusterHostsOf }: Pick<GatewayRouter, 'clusterHostsOf'>,
): ResourcePart<OutboundScope> {
  const memo = createMemo<EncodedClusters>();
  const memoOfView = createRecent(MAX_VIEWS, () => createMemo<EncodedClusters>());
  const tlsOf = createOutboundTls(encoder, settings);
  const byHostname = createHostnameOrder();

  const discoveries = createMemo<DiscoveredClusters>();

  const clustersOf = (context: PushContext, service: Service, scope: OutboundScope): EncodedClusters => {
    const clusters = scope.traffic.clustersOf(service);
    const discovered = discoveries.of([clusters], scope.proxyType, () =>
      discover(service, clusters, scope.proxyType, settings.edsForHeadlessServices),
    );
    const inputs = inputsOf(context, service, discovered, scope.sendsMutualTls);
    const isOfView = discovered.isInline && (scope.networkView.length > 0 || scope.locality !== '');
    const memory = isOfView ? memoOfView(JSON.stringify([scope.networkView, scope.locality])) : memo;
    const key = `${scope.proxyType},${scope.sendsMutualTls},${discovered.isInline && scope.ipv6Only}`;
    // Inputs that many services share come first, which keeps the memory small.
    const { mutualTls = NO_INPUT, serviceAccounts = NO_INPUT, endpoints = NO_INPUT } = inputs;
    return memory.of([mutualTls, serviceAccounts, endpoints, clusters], key, () =>
      encodeClusters(context, service, discovered.clusters, inputs, scope),
    );
  };

  const encodeClusters = (
    { mesh, peerAuthentications }: PushContext,
    service: Service,
    clusters: readonly DiscoveredCluster[],
    { endpoints, serviceAccounts = NO_ACCOUNTS }: ClusterInputs,
    { ipv6Only, networkView, locality, sendsMutualTls }: OutboundScope,
  ): EncodedClusters => {
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
      const built = buildOutboundCluster(input, settings, protocols);
      const resource = encoder.encodeResource(TypeUrl.cluster, built.name ?? '', built);
      return { port: cluster.port.number, resource };
    });
  };

  const generateInSteps = function* (context: PushContext, scope: OutboundScope): Steps<Generated> {
    // Grouped by port, the names are sorted runs: nextResourceSet sorts them in linear time.
    const byPort = new Map<number, EncodedResource[]>();
    const findings: Finding[] = [];
    for (const [index, service] of byHostname(scope.traffic.services).entries()) {
      if (index % SERVICES_AT_ONCE === 0) yield;
      if (scope.onlyHosts?.has(service.hostname) === false) continue;
      for (const { port, resource } of clustersOf(context, service, scope)) {
        const bucket = byPort.get(port);
        if (bucket === undefined) byPort.set(port, [resource]);
        else if (isTaken(bucket, resource.name, service.hostname)) findings.push(duplicate(resource.name, service));
        else bucket.push(resource);
      }
    }
    return { resources: [...byPort.values()].flat(), findings };
  };

  return {
    name: 'outbound',
    scope: (context, proxy) => {
      const { type, ipAddresses, locality, metadata, hasSecrets } = proxy;
      const traffic = context.trafficOf(proxy).inAnyCluster;
      const ipv6Only = !addressFamiliesOf(ipAddresses).ipv4;
      const networkView = [...new Set(metadata.requestedNetworkView)].sort();
      const sendsMutualTls = hasSecrets && context.mesh.enableAutoMtls;
      const flags = [ipv6Only ? 'ipv6' : '', sendsMutualTls ? 'mtls' : ''].join();
      const callerLocality = traffic.balancesByLocality ? locality : '';
      const hosts = clusterHostsOf(context, proxy);
      const key = [
        traffic.services.id,
        traffic.clustersId,
        type,
        flags,
        JSON.stringify([networkView, callerLocality, ...(hosts ?? [])]),
      ].join('|');
      const onlyHosts = hosts && new Set(hosts);
      return {
        key,
        traffic,
        proxyType: type,
        ipv6Only,
        networkView,
        locality: callerLocality,
        sendsMutualTls,
        onlyHosts,
      };
    },
    generate: (context, scope) => inOneStep(generateInSteps(context, scope)),
    generateInSteps,
  };
}

/** Services whose clusters are made in one step. */
const SERVICES_AT_ONCE = 32;

interface DiscoveredCluster {
  readonly cluster: ServiceCluster;
  readonly discovery: OutboundDiscovery;
}

interface DiscoveredClusters {
  readonly clusters: readonly DiscoveredCluster[];
  /** Whether the proxy resolves one of them itself: only such a cluster contains its endpoints. */
  readonly isInline: boolean;
  readonly keepsDestination: boolean;
  /** Whether one of them always uses the mesh's mutual TLS. */
  readonly isMeshTls: boolean;
}

function discover(
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
interface ClusterInputs {
  readonly endpoints: ServiceEndpoints | undefined;
  readonly serviceAccounts: readonly string[] | undefined;
  readonly mutualTls: NamespaceMutualTls | undefined;
}

const NO_INPUTS: ClusterInputs = { endpoints: undefined, serviceAccounts: undefined, mutualTls: undefined };

function inputsOf(
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

/** Services of one host follow each other, so a cluster of the same name is among the last ones of the port. */
function isTaken(bucket: readonly EncodedResource[], name: string, hostname: string): boolean {
  for (let index = bucket.length - 1; index >= 0; index--) {
    const other = bucket[index]?.name ?? '';
    if (other === name) return true;
    if (!other.endsWith(hostname)) return false;
  }
  return false;
}

/** Services by host, the oldest of a host first; sorted once per view. */
function createHostnameOrder(): (view: ServiceView) => readonly Service[] {
  return memoize(({ services }: ServiceView) =>
    services.toSorted((a, b) => (a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : 0)),
  );
}

/** A service without known endpoints is resolved by its own name. */
function hostItself({ hostname, externalName = hostname }: Service, { number }: Port): readonly LoadTarget[] {
  if (externalName.startsWith('*')) return [];
  const target = { address: externalName, port: number, locality: '', network: '', weight: 1 };
  return [{ ...target, health: 'healthy', tlsMode: 'disabled' }];
}

function duplicate(name: string, service: Service): Finding {
  return {
    metric: 'nav_duplicate_proxy_clusters',
    key: name,
    message: `Cluster ${name} of ${service.source} is already made by an older service or port; rename the host or the port`,
  };
}
