import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { Finding } from '../../model/finding.js';
import type { ProxyType } from '../../model/proxy.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';
import type { Port, Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import { addressFamiliesOf } from '../address-families.js';
import type { LoadTarget } from '../endpoints/load-assignment.js';
import { visibleEndpoints } from '../endpoints/visible-endpoints.js';
import type { ResourcePart, Scope } from '../generator.js';
import { createMemo, memoize } from '../memo.js';
import { createRecent } from '../recent.js';
import { withTakenTls } from '../security/endpoint-tls.js';
import type { GeneratorSettings } from '../settings.js';
import { buildOutboundCluster } from './outbound-cluster.js';
import { type OutboundDiscovery, outboundDiscovery } from './outbound-discovery.js';
import { clusterTlsMode, createOutboundTls } from './outbound-tls.js';
import type { UpstreamProtocols } from './upstream-protocols.js';

export interface OutboundScope extends Scope {
  readonly view: ServiceView;
  readonly proxyType: ProxyType;
  readonly ipv6Only: boolean;
  /** Sorted; empty for all. Read for services that the proxy resolves by DNS. */
  readonly networkView: readonly string[];
  /** Whether it has a certificate, and the mesh uses mutual TLS where both sides can. */
  readonly sendsMutualTls: boolean;
}

/** Proxies say what networks they want: clusters of so many sets of networks are remembered, those used last. */
const MAX_NETWORK_VIEWS = 64;

/** Clusters of one service, each with its port. */
type ServiceClusters = readonly { readonly port: number; readonly resource: EncodedResource }[];

/** What clusters depend on beside their service; undefined where they do not. */
interface ClusterInputs {
  readonly endpoints: ServiceEndpoints | undefined;
  readonly serviceAccounts: readonly string[] | undefined;
  readonly mutualTls: NamespaceMutualTls | undefined;
}

interface Remembered {
  inputs: ClusterInputs;
  clusters: ServiceClusters | undefined;
}

/** One cluster per port of every service in view, encoded again only when its service has changed. */
export function createOutboundPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  protocols: UpstreamProtocols,
): ResourcePart<OutboundScope> {
  const memo = createMemo<Remembered>();
  const memoOfView = createRecent(MAX_NETWORK_VIEWS, () => createMemo<Remembered>());
  const tlsOf = createOutboundTls(encoder, settings);
  const byHostname = createHostnameOrder();

  const clustersOf = (context: PushContext, service: Service, scope: OutboundScope): ServiceClusters => {
    const discovery = outboundDiscovery(service, scope.proxyType, settings.edsForHeadlessServices);
    // Only what the proxy resolves itself has its endpoints, and so what they depend on, in the cluster.
    const inline = discovery === 'dns';
    const inputs = inputsOf(context, service, discovery, scope.sendsMutualTls);
    const key = inline ? `dns ${scope.ipv6Only}` : discovery;
    const isOfView = inline && scope.networkView.length > 0;
    const memory = isOfView ? memoOfView(JSON.stringify(scope.networkView)) : memo;
    const variant = scope.sendsMutualTls ? `mtls ${key}` : key;
    const remembered = memory.of([context.mesh, service], variant, () => ({ inputs, clusters: undefined }));
    if (remembered.clusters === undefined || !isSame(remembered.inputs, inputs)) {
      remembered.inputs = inputs;
      remembered.clusters = encodeClusters(context, service, discovery, inputs, scope);
    }
    return remembered.clusters;
  };

  const encodeClusters = (
    { mesh, peerAuthentications }: PushContext,
    service: Service,
    discovery: OutboundDiscovery,
    { endpoints, serviceAccounts = [] }: ClusterInputs,
    { ipv6Only, networkView, sendsMutualTls }: OutboundScope,
  ): ServiceClusters => {
    const networks = networkView.length === 0 ? undefined : new Set(networkView);
    const mutualTls = peerAuthentications.ofNamespace(service.namespace);
    const targetsOf = (port: Port): readonly LoadTarget[] => {
      if (discovery !== 'dns') return [];
      if (endpoints === undefined) return hostItself(service, port);
      const filter = { portName: port.name, networkView: networks, cluster: undefined };
      return withTakenTls(visibleEndpoints(endpoints, filter), mutualTls);
    };
    const tlsFieldsOf = (port: Port) => {
      const mode = sendsMutualTls ? clusterTlsMode(service, port, discovery, endpoints, mutualTls) : 'never';
      return tlsOf(mode, { mesh, service, port, serviceAccounts });
    };
    return service.ports
      .filter(({ protocol }) => protocol !== 'udp')
      .map((port) => {
        const facts = { service, port, discovery, mesh, ipv6Only, targets: targetsOf(port), tls: tlsFieldsOf(port) };
        const cluster = buildOutboundCluster(facts, settings, protocols);
        const name = cluster.name ?? '';
        return { port: port.number, resource: encoder.encodeResource(TypeUrl.cluster, name, cluster) };
      });
  };

  return {
    name: 'outbound',
    scope: (context, { type, configNamespace, ipAddresses, metadata, hasSecrets }) => {
      const view = context.viewOf(configNamespace);
      const ipv6Only = !addressFamiliesOf(ipAddresses).ipv4;
      const networkView = [...new Set(metadata.requestedNetworkView)].sort();
      const sendsMutualTls = hasSecrets && context.mesh.enableAutoMtls;
      const flags = [ipv6Only ? 'ipv6' : '', sendsMutualTls ? 'mtls' : ''].join();
      const key = [view.id, type, flags, JSON.stringify(networkView)].join('|');
      return { key, view, proxyType: type, ipv6Only, networkView, sendsMutualTls };
    },
    generate: (context, scope) => {
      const byPort = new Map<number, EncodedResource[]>();
      const findings: Finding[] = [];
      for (const service of byHostname(scope.view)) {
        for (const { port, resource } of clustersOf(context, service, scope)) {
          const bucket = byPort.get(port);
          if (bucket === undefined) byPort.set(port, [resource]);
          // Services of one host follow each other, the oldest first: it keeps the name.
          else if (bucket.at(-1)?.name === resource.name) findings.push(duplicate(resource.name, service));
          else bucket.push(resource);
        }
      }
      return { resources: joinSorted(byPort), findings };
    },
  };
}

function inputsOf(
  context: PushContext,
  service: Service,
  discovery: OutboundDiscovery,
  sendsMutualTls: boolean,
): ClusterInputs {
  // What is in the cluster, or decides about its TLS as a whole.
  const readsEndpoints = discovery === 'dns' || (sendsMutualTls && discovery === 'originalDestination');
  const endpoints = readsEndpoints || sendsMutualTls ? endpointsOf(context, service) : undefined;
  return {
    endpoints: readsEndpoints ? endpoints : undefined,
    serviceAccounts: sendsMutualTls ? endpoints?.serviceAccounts : undefined,
    mutualTls: readsEndpoints ? context.peerAuthentications.ofNamespace(service.namespace) : undefined,
  };
}

function isSame(first: ClusterInputs, second: ClusterInputs): boolean {
  return (
    first.endpoints === second.endpoints &&
    first.serviceAccounts === second.serviceAccounts &&
    first.mutualTls === second.mutualTls
  );
}

/** Services by host, the oldest of a host first; sorted once per view. */
function createHostnameOrder(): (view: ServiceView) => readonly Service[] {
  return memoize(({ services }: ServiceView) =>
    services.toSorted((a, b) => (a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : 0)),
  );
}

/** Names start with the port and end with the host: sorted hosts in sorted ports are sorted names, without a sort. */
function joinSorted(byPort: ReadonlyMap<number, readonly EncodedResource[]>): readonly EncodedResource[] {
  return [...byPort]
    .map(([port, resources]) => ({ prefix: `${port}|`, resources }))
    .sort((a, b) => (a.prefix < b.prefix ? -1 : 1))
    .flatMap(({ resources }) => resources);
}

/** What to resolve for a service whose endpoints are not known: its own name. */
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
