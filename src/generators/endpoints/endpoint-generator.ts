import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { LazyResource } from '../../envoy/lazy-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { hostOfCluster } from '../../envoy/names.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { ClusterLoadAssignment } from '../../generated/envoy/config/endpoint/v3/ClusterLoadAssignment.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { Finding } from '../../model/finding.js';
import { createMemo, memoize } from '../../model/memo.js';
import type { PushContext } from '../../model/push-context.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import { endpointsAffectedBy } from '../affected-by.js';
import { clusterOf } from '../destination-names.js';
import type { NamedGenerator } from '../generator.js';
import { withTakenTls } from '../security/endpoint-tls.js';
import { createEndpointScoper, type EndpointScope } from './endpoint-scope.js';
import { buildLoadAssignment } from './load-assignment.js';
import { splitHorizon } from './split-horizon.js';
import { visibleEndpoints } from './visible-endpoints.js';

interface Assignment {
  readonly resource: EncodedResource;
  readonly findings: readonly Finding[];
}

/** Assignments of one service: by the fields of the scope that they depend on and by mutual TLS, then by cluster name. */
type ServiceAssignments = Map<string, Map<string, Assignment>>;

const NO_FINDINGS: readonly Finding[] = [];

/**
 * Number of networks and views for which the assignments of a service are remembered: proxies can invent any number.
 */
const MAX_SCOPES_PER_SERVICE = 100;

/**
 * Endpoint assignments (EDS, docs/reference/xds.md#endpoints), one per outbound cluster name. An unknown name gets an
 * empty assignment, because a proxy waits for each assignment that it asked for.
 */
export function createEndpointGenerator(encoder: MessageEncoder): NamedGenerator<EndpointScope> {
  const scope = createEndpointScoper();
  const namedOf = memoize(byName);
  const memo = createMemo<ServiceAssignments>();

  const encode = (name: string, message: ClusterLoadAssignment): EncodedResource =>
    encoder.encodeExactResource(TypeUrl.endpoint, name, message);

  /** Proxies can ask for any name. An unknown one is encoded only when a response contains it. */
  const unknown = {
    version: 'unknown',
    encode: (name: string) => encode(name, { clusterName: name }).entry,
  };
  const emptyAssignment = (name: string): Assignment => ({
    resource: new LazyResource(name, unknown),
    findings: NO_FINDINGS,
  });

  const recall = (
    clusters: readonly ServiceCluster[],
    endpoints: ServiceEndpoints | undefined,
    key: string,
  ): Map<string, Assignment> => {
    const assignments = memo.of([clusters, endpoints ?? clusters], '', () => new Map());
    let named = assignments.get(key);
    if (named === undefined) {
      named = new Map();
      if (assignments.size >= MAX_SCOPES_PER_SERVICE) assignments.clear();
      assignments.set(key, named);
    }
    return named;
  };

  const assignmentOf = (context: PushContext, scoped: EndpointScope, name: string): Assignment => {
    const hostname = hostOfCluster(name);
    const service = scoped.ownServices.byHost.get(hostname) ?? context.servicesByHost.get(hostname);
    if (service === undefined) return emptyAssignment(name);
    const endpoints = endpointsOf(context, service);
    const isLocal = scoped.cluster !== '' && isClusterLocal(hostname, context.mesh.clusterLocalHosts);
    const mutualTls = context.peerAuthentications.ofNamespace(service.namespace);
    const clusters = scoped.traffic.clustersOf(service);
    const { clusterOfName, balancesByLocality } = namedOf(clusters);
    const locality = balancesByLocality ? scoped.locality : '';
    const disabled = mutualTls.hasDisabled ? mutualTls.key : '';
    // The locality comes last: a proxy can invent any text.
    const place = [scoped.networkKey, isLocal ? scoped.cluster : '', disabled, locality].join('|');
    const named = recall(clusters, endpoints, place);
    const known = named.get(name);
    if (known !== undefined) return known;
    // Proxies can ask for any name: only names of clusters are remembered. Proxies resolve `dns` clusters themselves.
    const cluster = clusterOfName.get(name);
    if (cluster === undefined || service.resolution === 'dns') return emptyAssignment(name);
    const assignment = build(name, cluster, endpoints, scoped, isLocal, mutualTls);
    named.set(name, assignment);
    return assignment;
  };

  const build = (
    name: string,
    { port, destination, policy }: ServiceCluster,
    endpoints: ServiceEndpoints | undefined,
    { network, networkView, gateways, cluster, locality }: EndpointScope,
    isLocal: boolean,
    mutualTls: NamespaceMutualTls,
  ): Assignment => {
    const { labels } = destination.subset;
    const filter = { portName: port.name, labels, networkView, cluster: isLocal ? cluster : undefined };
    const visible = endpoints === undefined ? [] : visibleEndpoints(endpoints, filter);
    const reachable = splitHorizon(withTakenTls(visible, mutualTls), network, gateways);
    const balance = policy.localities && { callerLocality: locality, policy: policy.localities };
    return {
      resource: encode(name, buildLoadAssignment(name, reachable, balance)),
      findings: reachable.length === 0 ? [noInstances(name)] : NO_FINDINGS,
    };
  };

  /** The push asks for findings right after the resource: this spares the second look-up. */
  let last: { context: PushContext; scoped: EndpointScope; name: string; assignment: Assignment } | undefined;
  const lookUp = (context: PushContext, scoped: EndpointScope, name: string): Assignment => {
    if (last?.name === name && last.scoped === scoped && last.context === context) return last.assignment;
    const assignment = assignmentOf(context, scoped, name);
    last = { context, scoped, name, assignment };
    return assignment;
  };

  return {
    mode: 'named',
    typeUrl: TypeUrl.endpoint,
    affectedBy: endpointsAffectedBy,
    scope,
    hostOf: hostOfCluster,
    generate: (context, scoped, name) => lookUp(context, scoped, name).resource,
    findings: (context, scoped, name) => lookUp(context, scoped, name).findings,
  };
}

interface NamedClusters {
  readonly clusterOfName: ReadonlyMap<string, ServiceCluster>;
  /** Whether one of them depends on the locality of the caller. */
  readonly balancesByLocality: boolean;
}

function byName(clusters: readonly ServiceCluster[]): NamedClusters {
  return {
    clusterOfName: new Map(clusters.map((cluster) => [clusterOf(cluster.destination), cluster])),
    balancesByLocality: clusters.some(({ policy }) => policy.localities !== undefined),
  };
}

function noInstances(name: string): Finding {
  return {
    metric: 'nav_eds_no_instances',
    key: name,
    message: `Cluster ${name} has no endpoints; requests to it fail until the service has a ready workload`,
  };
}

/**
 * Whether only endpoints of the cluster of the proxy serve a host (`serviceSettings` of the mesh config).
 *
 * @param hosts exact names, or `*.` and a suffix
 */
export function isClusterLocal(hostname: string, hosts: readonly string[]): boolean {
  return hosts.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host));
}
