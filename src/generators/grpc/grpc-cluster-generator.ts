import { socketAddress } from '../../envoy/addresses.js';
import { providerUpstreamTls } from '../../envoy/certificate-provider-tls.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { BLACK_HOLE_CLUSTER, hostOfCluster, parseOutboundClusterName } from '../../envoy/names.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { Finding } from '../../model/finding.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import { clusterOf } from '../destination-names.js';
import { visibleEndpoints } from '../endpoints/visible-endpoints.js';
import type { NamedGenerator, Scope } from '../generator.js';
import { serverNames } from '../security/trusted-names.js';
import type { GeneratorSettings } from '../settings.js';
import { createViewIndexer } from '../view-index.js';
import { createGrpcBalancing } from './grpc-balancing.js';
import { grpcTlsMode } from './grpc-cluster-tls.js';
import { type GrpcDiscovery, grpcDiscovery } from './grpc-discovery.js';

export interface GrpcClusterScope extends Scope {
  readonly traffic: TrafficView;
  /** Instance of the certificate provider in the bootstrap of the client; undefined without certificates. */
  readonly certificates: string | undefined;
}

interface Made {
  readonly cluster: Cluster;
  readonly findings: readonly Finding[];
}

/** gRPC itself allows 1024 concurrent calls of a client to a cluster. */
const NO_LIMIT = 0xffff_ffff;

/** The clusters of gRPC clients, by the names that their routes have. */
export function createGrpcClusterGenerator(
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'trustDomain' | 'skipTrustDomainValidation'>,
): NamedGenerator<GrpcClusterScope> {
  const indexOf = createViewIndexer();
  const balancing = createGrpcBalancing(encoder);

  const make = (context: PushContext, { traffic, certificates }: GrpcClusterScope, name: string): Made => {
    const service = indexOf(traffic.services).byHost.get(parseOutboundClusterName(name)?.hostname ?? '');
    const cluster = service && traffic.clustersOf(service).find(({ destination }) => clusterOf(destination) === name);
    if (service === undefined || cluster === undefined) return { cluster: unavailable(name), findings: [] };
    const endpoints = endpointsOf(context, service);
    const { port, destination, policy } = cluster;
    const filter = {
      portName: port.name,
      labels: destination.subset.labels,
      networkView: undefined,
      cluster: undefined,
    };
    const known = endpoints === undefined ? [] : visibleEndpoints(endpoints, filter);
    const discovery = grpcDiscovery(service, port, known);
    if (discovery === undefined) return { cluster: unavailable(name), findings: [unresolvable(name, service)] };
    const mode = grpcTlsMode({
      cluster,
      endpoints: known,
      namespace: context.peerAuthentications.ofNamespace(service.namespace),
      hasCertificates: certificates !== undefined,
      isAutomatic: context.mesh.enableAutoMtls,
    });
    if (mode === 'unsupported') return { cluster: unavailable(name), findings: [tlsImpossible(name, cluster)] };
    const { maxRequests = NO_LIMIT } = policy.connections;
    const message: Cluster = {
      name,
      ...discoveryFields(name, discovery),
      ...balancing(policy.loadBalancer),
      circuitBreakers: { thresholds: [{ maxRequests: { value: maxRequests } }] },
      ...(mode === 'mesh' && certificates !== undefined
        ? { transportSocket: tlsOf(context, cluster, endpoints, certificates) }
        : {}),
    };
    return { cluster: message, findings: [] };
  };

  const tlsOf = (
    { mesh }: PushContext,
    { policy: { tls } }: ServiceCluster,
    endpoints: ServiceEndpoints | undefined,
    certificates: string,
  ) => {
    const own = tls.mode === 'mesh' || tls.mode === 'automatic' ? tls.subjectAltNames : [];
    return providerUpstreamTls(
      encoder,
      certificates,
      serverNames(mesh, settings, endpoints?.serviceAccounts ?? [], own),
    );
  };

  return {
    mode: 'named',
    isWhole: true,
    typeUrl: TypeUrl.cluster,
    // The endpoints decide on mutual TLS, and name the servers.
    affectedBy: ({ full, endpoints }) => full || endpoints.size > 0,
    hostOf: hostOfCluster,
    scope: (context, proxy) => {
      const traffic = context.trafficOf(proxy).inAnyCluster;
      const certificates = proxy.metadata.certificateProvider;
      const key = ['grpc', traffic.services.id, traffic.clustersId, certificates ?? ''].join('|');
      return { key, traffic, certificates };
    },
    generate: (context, scope, name): EncodedResource | undefined =>
      name === BLACK_HOLE_CLUSTER || parseOutboundClusterName(name) !== undefined
        ? encoder.encodeResource(TypeUrl.cluster, name, make(context, scope, name).cluster)
        : undefined,
    findings: (context, scope, name) => make(context, scope, name).findings,
  };
}

/**
 * A cluster whose calls fail at once. Without a cluster the client would wait 15 seconds, and hold back all other routes
 * of the target. No cluster has such endpoints, so they are empty.
 */
function unavailable(name: string): Cluster {
  return { name, ...edsFields(`unavailable|${name}`), lbPolicy: 'ROUND_ROBIN' };
}

function edsFields(serviceName: string): Cluster {
  return { type: 'EDS', edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' }, serviceName } };
}

function discoveryFields(name: string, discovery: GrpcDiscovery): Cluster {
  if (discovery.type === 'endpoints') return edsFields(name);
  const address = socketAddress(discovery.address, discovery.port);
  return {
    type: 'LOGICAL_DNS',
    loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint: { address } }] }] },
  };
}

function unresolvable(name: string, { source }: Service): Finding {
  return {
    metric: 'nav_grpc_unsupported',
    key: `cluster ${name}`,
    message:
      `calls of gRPC clients to ${name} fail: the wildcard host of ${source} has no endpoints, and gRPC cannot keep an ` +
      'original destination; add endpoints to it',
  };
}

function tlsImpossible(name: string, { policy: { tls } }: ServiceCluster): Finding {
  const [reason, remedy] =
    tls.mode === 'own'
      ? ['its DestinationRule has certificates of its own, which gRPC cannot read', 'use the TLS mode MESH_MUTUAL']
      : [
          `${tls.mode === 'mesh' ? 'its DestinationRule' : 'a PeerAuthentication of its endpoints (STRICT)'} demands mutual TLS, and the client has no certificates`,
          'give its bootstrap a certificate provider, and name that in CERTIFICATE_PROVIDER of its node',
        ];
  return {
    metric: 'nav_grpc_unsupported',
    key: `cluster ${name}`,
    message: `calls of gRPC clients to ${name} fail: ${reason}; ${remedy}`,
  };
}
