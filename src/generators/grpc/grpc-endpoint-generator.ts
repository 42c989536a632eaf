import { isIpAddress } from '../../base/ip-address.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { hostOfCluster, parseOutboundClusterName } from '../../envoy/names.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { ClusterLoadAssignment } from '../../generated/envoy/config/endpoint/v3/ClusterLoadAssignment.js';
import type { Endpoint } from '../../model/endpoint.js';
import type { PushContext } from '../../model/push-context.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import { endpointsAffectedBy } from '../affected-by.js';
import { clusterOf } from '../destination-names.js';
import { isClusterLocal } from '../endpoints/endpoint-generator.js';
import { createEndpointScoper, type EndpointScope } from '../endpoints/endpoint-scope.js';
import { buildLoadAssignment } from '../endpoints/load-assignment.js';
import { visibleEndpoints } from '../endpoints/visible-endpoints.js';
import type { NamedGenerator } from '../generator.js';

/**
 * The endpoints of gRPC clients. gRPC takes IP addresses only, and each locality needs its field, also an unknown one. It
 * has no server names (SNI), without which no gateway of another network can forward a connection: endpoints behind one
 * are left out.
 */
export function createGrpcEndpointGenerator(encoder: MessageEncoder): NamedGenerator<EndpointScope> {
  const scope = createEndpointScoper();

  const targetsOf = (context: PushContext, scoped: EndpointScope, name: string) => {
    const hostname = parseOutboundClusterName(name)?.hostname ?? '';
    const service = scoped.ownServices.byHost.get(hostname) ?? context.servicesByHost.get(hostname);
    const cluster = service && scoped.traffic.clustersOf(service).find((each) => clusterOf(each.destination) === name);
    if (service === undefined || cluster === undefined) return undefined;
    const isLocal = scoped.cluster !== '' && isClusterLocal(hostname, context.mesh.clusterLocalHosts);
    const { port, destination, policy } = cluster;
    const filter = {
      portName: port.name,
      labels: destination.subset.labels,
      networkView: scoped.networkView,
      cluster: isLocal ? scoped.cluster : undefined,
    };
    const endpoints = endpointsOf(context, service);
    const visible = endpoints === undefined ? [] : visibleEndpoints(endpoints, filter);
    const targets = visible.filter((endpoint) => isIpAddress(endpoint.address) && isReachable(endpoint, scoped));
    return { targets, balance: policy.localities && { callerLocality: scoped.locality, policy: policy.localities } };
  };

  return {
    mode: 'named',
    typeUrl: TypeUrl.endpoint,
    affectedBy: endpointsAffectedBy,
    hostOf: hostOfCluster,
    scope: (context, proxy) => {
      const scoped = scope(context, proxy);
      return { ...scoped, key: `grpc|${scoped.key}` };
    },
    generate: (context, scoped, name): EncodedResource => {
      const found = targetsOf(context, scoped, name);
      const message: ClusterLoadAssignment =
        found === undefined
          ? { clusterName: name }
          : withLocalities(buildLoadAssignment(name, found.targets, found.balance));
      return encoder.encodeExactResource(TypeUrl.endpoint, name, message);
    },
    findings: (context, scoped, name) =>
      targetsOf(context, scoped, name)?.targets.length === 0
        ? [{ metric: 'nav_eds_no_instances', key: name, message: `Cluster ${name} has no endpoints for gRPC clients` }]
        : [],
  };
}

function isReachable({ network: of }: Endpoint, { network, gateways }: EndpointScope): boolean {
  return network === '' || of === '' || of === network || !gateways.byNetwork.has(of);
}

function withLocalities(assignment: ClusterLoadAssignment): ClusterLoadAssignment {
  const { endpoints = [] } = assignment;
  return { ...assignment, endpoints: endpoints.map((each) => ({ ...each, locality: each.locality ?? {} })) };
}
