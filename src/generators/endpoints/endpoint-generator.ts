import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { LazyResource } from '../../envoy/lazy-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { ClusterLoadAssignment } from '../../generated/envoy/config/endpoint/v3/ClusterLoadAssignment.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { Finding } from '../../model/finding.js';
import type { PushContext } from '../../model/push-context.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';
import type { Port, Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import { endpointsAffectedBy } from '../affected-by.js';
import { destinationNamed } from '../destination-names.js';
import type { NamedGenerator } from '../generator.js';
import { createMemo } from '../memo.js';
import { withTakenTls } from '../security/endpoint-tls.js';
import { isClusterLocal } from './cluster-local.js';
import { createEndpointScoper, type EndpointScope } from './endpoint-scope.js';
import { buildLoadAssignment } from './load-assignment.js';
import { splitHorizon } from './split-horizon.js';
import { visibleEndpoints } from './visible-endpoints.js';

interface Assignment {
  readonly resource: EncodedResource;
  readonly findings: readonly Finding[];
}

/** Assignments of one service: by network key, own cluster and the workloads that take plaintext alone, then by name. */
type ServiceAssignments = Map<string, Map<string, Assignment>>;

const NO_FINDINGS: readonly Finding[] = [];

/** Networks and views come from proxies: beyond this many of them the assignments of a service are made anew. */
const MAX_SCOPES_PER_SERVICE = 100;

/**
 * Endpoint assignments (EDS, BEHAVIOUR 5): one per outbound cluster name. There is one for every name that
 * is asked for, an empty one where nothing is known: a proxy that waits for endpoints would wait on.
 */
export function createEndpointGenerator(encoder: MessageEncoder): NamedGenerator<EndpointScope> {
  const scope = createEndpointScoper();
  const memo = createMemo<ServiceAssignments>();

  const encode = (name: string, message: ClusterLoadAssignment): EncodedResource =>
    encoder.encodeExactResource(TypeUrl.endpoint, name, message);

  /** Names come from proxies: those of nothing cost no encoded message before a response carries them. */
  const unknown = {
    version: 'unknown',
    encode: (name: string) => encode(name, { clusterName: name }).entry,
  };
  const emptyAssignment = (name: string): Assignment => ({
    resource: new LazyResource(name, unknown),
    findings: NO_FINDINGS,
  });

  const recall = (service: Service, endpoints: ServiceEndpoints | undefined, key: string): Map<string, Assignment> => {
    const assignments = memo.of([service, endpoints ?? service], '', () => new Map());
    let named = assignments.get(key);
    if (named === undefined) {
      named = new Map();
      if (assignments.size >= MAX_SCOPES_PER_SERVICE) assignments.clear();
      assignments.set(key, named);
    }
    return named;
  };

  const assignmentOf = (context: PushContext, scoped: EndpointScope, name: string): Assignment => {
    const hostname = hostOf(name);
    const service = scoped.ownServices.byHost.get(hostname) ?? context.servicesByHost.get(hostname);
    if (service === undefined) return emptyAssignment(name);
    const endpoints = endpointsOf(context, service);
    const isLocal = scoped.cluster !== '' && isClusterLocal(hostname, context.mesh.clusterLocalHosts);
    const mutualTls = context.peerAuthentications.ofNamespace(service.namespace);
    const place = isLocal ? `${scoped.networkKey}${scoped.cluster}` : scoped.networkKey;
    const named = recall(service, endpoints, mutualTls.hasDisabled ? `${place}${mutualTls.key}` : place);
    const known = named.get(name);
    if (known !== undefined) return known;
    const port = portOf(service, name);
    // Names come from proxies: only those that can be right are remembered.
    if (port === undefined) return emptyAssignment(name);
    const assignment = build(name, port, endpoints, scoped, isLocal, mutualTls);
    named.set(name, assignment);
    return assignment;
  };

  const build = (
    name: string,
    port: Port,
    endpoints: ServiceEndpoints | undefined,
    { network, networkView, gateways, cluster }: EndpointScope,
    isLocal: boolean,
    mutualTls: NamespaceMutualTls,
  ): Assignment => {
    const filter = { portName: port.name, networkView, cluster: isLocal ? cluster : undefined };
    const visible = endpoints === undefined ? [] : visibleEndpoints(endpoints, filter);
    const reachable = splitHorizon(withTakenTls(visible, mutualTls), network, gateways);
    return {
      resource: encode(name, buildLoadAssignment(name, reachable)),
      findings: reachable.length === 0 ? [noInstances(name)] : NO_FINDINGS,
    };
  };

  /** Findings are asked for right after the resource: the second look-up is spared. */
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
    hostOf,
    generate: (context, scoped, name) => lookUp(context, scoped, name).resource,
    findings: (context, scoped, name) => lookUp(context, scoped, name).findings,
  };
}

/** The host of `outbound|<port>|<subset>|<host>`. */
function hostOf(name: string): string {
  return name.slice(name.lastIndexOf('|') + 1);
}

/**
 * The service port that a cluster stands for. Undefined when the name is not exactly that of an outbound
 * cluster that gets its endpoints from us, among them clusters whose names the proxy resolves itself.
 */
function portOf(service: Service, name: string): Port | undefined {
  const destination = destinationNamed(service, name);
  if (destination === undefined || service.resolution === 'dns') return undefined;
  return service.ports.find(({ number, protocol }) => number === destination.port && protocol !== 'udp');
}

function noInstances(name: string): Finding {
  return {
    metric: 'nav_eds_no_instances',
    key: name,
    message: `Cluster ${name} has no endpoints; requests to it fail until the service has a ready workload`,
  };
}
