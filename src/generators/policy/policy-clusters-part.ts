import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { compareNames } from '../../envoy/resource-set.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { createMemo } from '../../model/memo.js';
import {
  AFFINE_REPORT_CLUSTER,
  checkClusterOf,
  checkServerOf,
  HTTP_CHECK_CLUSTER,
  type PolicyServerTarget,
  reportClusterOf,
  reportServerOf,
} from '../../model/policy/policy-servers.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { destinationOf } from '../../model/traffic/destination.js';
import { addressFamiliesOf } from '../address-families.js';
import { clusterOf } from '../destination-names.js';
import type { ResourcePart, Scope } from '../generator.js';
import type { GeneratorSettings } from '../settings.js';
import { buildPolicyCluster, createPolicyServerTls, type ServerPlace } from './policy-cluster.js';
import { createPolicyProtocols } from './policy-protocols.js';
import { addressOfServer, createServedLookup, type ServerAddress, serviceNamesOf } from './policy-server-hosts.js';
import { createPolicyServiceClusters, type PolicyServicePort } from './policy-service-clusters.js';

export interface PolicyClustersScope extends Scope {
  /** By the name of the cluster. */
  readonly places: ReadonlyMap<string, ServerPlace>;
  /** The service whose port answers checks over HTTP/1.1, where the policy server is a service of the view. */
  readonly httpService: PolicyServicePort | undefined;
  /** Server names (SNI) of the servers with mutual TLS, by the name of the cluster. */
  readonly secured: ReadonlyMap<string, string>;
}

/**
 * The clusters of policy servers that are not services of the proxy's view. Services of the view have clusters of the
 * same names already, for gRPC.
 *
 * Where discovery is a service of the view, the cluster has the instances of that service. A proxy that is connected to
 * all instances continues with the others as soon as one of them stops.
 */
export function createPolicyClustersPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
): ResourcePart<PolicyClustersScope> {
  const memo = createMemo<readonly EncodedResource[]>();
  const servedBy = createServedLookup();
  const tlsOf = createPolicyServerTls(encoder, settings);
  const protocols = createPolicyProtocols(encoder);
  const services = createPolicyServiceClusters(encoder, settings);

  /** The assignment with the instances of discovery; undefined where the host does not lead to the service itself. */
  const instancesOf = (context: PushContext, proxy: Proxy, { host, port }: ServerAddress): string | undefined => {
    const { metadata, ipAddresses } = proxy;
    const own = context.clusterOf(undefined);
    // Between clusters, networks and address families only the name leads to a reachable address.
    if (context.clusterOf(metadata.clusterId) !== own || metadata.network) return undefined;
    if (!addressFamiliesOf(ipAddresses).ipv4) return undefined;
    const found = servedBy(context.trafficOf(proxy).inAnyCluster.services, serviceNamesOf(host, context.domain), port);
    // A ServiceEntry of that name must not replace discovery.
    if (found?.registry !== 'Orchestrator' || found.resolution === 'dns') return undefined;
    // A service in several clusters is a separate discovery service in each of them.
    if ([...(found.byCluster?.keys() ?? [])].some((cluster) => cluster !== own)) return undefined;
    return clusterOf(destinationOf(found, port));
  };

  /** The service of the view that is the policy server. */
  const serviceOf = (context: PushContext, proxy: Proxy, { host, port }: ServerAddress): Service | undefined =>
    servedBy(context.trafficOf(proxy).inAnyCluster.services, [host], port);

  const httpServiceOf = (context: PushContext, proxy: Proxy): PolicyServicePort | undefined => {
    const server = checksOverHttp(context.mesh);
    if (server?.type !== 'address') return undefined;
    const service = serviceOf(context, proxy, server);
    return service && services.portOf(context, proxy, service, server.port);
  };

  /** Undefined for a cluster that the proxy has already. */
  const placeOf = (
    context: PushContext,
    proxy: Proxy,
    cluster: string,
    server: PolicyServerTarget,
  ): ServerPlace | undefined => {
    const address = addressOfServer(server, context.mesh, settings.embeddedPolicyPort());
    const byName = { type: 'address', ...address, ipv6Only: !addressFamiliesOf(proxy.ipAddresses).ipv4 } as const;
    // This cluster uses the single instance that its name leads to.
    if (cluster === AFFINE_REPORT_CLUSTER) return byName;
    if (server.type === 'address') return serviceOf(context, proxy, server) === undefined ? byName : undefined;
    const assignment = instancesOf(context, proxy, address);
    return assignment === undefined ? byName : { type: 'instances', assignment };
  };

  return {
    name: 'policy',
    scope: (context, proxy) => {
      const { mesh } = context;
      const servers = [
        [checkClusterOf(mesh.policy), checkServerOf(mesh)],
        [reportClusterOf(mesh.policy), reportServerOf(mesh)],
        [HTTP_CHECK_CLUSTER, checksOverHttp(mesh)],
      ] as const;
      const places = new Map<string, ServerPlace>();
      const secured = new Map<string, string>();
      for (const [name, server] of servers) {
        const place = server === undefined ? undefined : placeOf(context, proxy, name, server);
        if (place === undefined) continue;
        places.set(name, place);
        if (server?.type === 'embedded' && proxy.hasSecrets && settings.policyServerIdentity !== undefined) {
          secured.set(name, addressOfServer(server, mesh, settings.embeddedPolicyPort()).host);
        }
      }
      const httpService = httpServiceOf(context, proxy);
      if (places.size === 0 && httpService === undefined) return undefined;
      return { key: JSON.stringify([[...places], [...secured], httpService?.key]), places, secured, httpService };
    },
    generate: (context, { key, places, secured, httpService }) => {
      const { mesh } = context;
      const ofPlaces = memo.of([mesh], key, () =>
        [...places]
          .map(([name, place]) => {
            const version = name === HTTP_CHECK_CLUSTER ? 'http/1.1' : 'h2';
            const message = {
              ...buildPolicyCluster(name, place, mesh, settings, tlsOf(mesh, secured.get(name), version)),
              ...protocols.of(version),
            };
            const resource = encoder.encodeResource(TypeUrl.cluster, name, message);
            return place.type === 'instances' ? { ...resource, assignment: place.assignment } : resource;
          })
          .sort(compareNames),
      );
      const ofService =
        httpService && services.encode(context, httpService, HTTP_CHECK_CLUSTER, protocols.of('http/1.1'));
      return {
        resources: ofService === undefined ? ofPlaces : [...ofPlaces, ofService].sort(compareNames),
        findings: [],
      };
    },
  };
}

/** The server of checks over HTTP/1.1; undefined without one. */
function checksOverHttp(mesh: MeshConfig): PolicyServerTarget | undefined {
  return mesh.policy.policyCheckProtocol === 'HTTP' ? checkServerOf(mesh) : undefined;
}
