import { endpointAddress } from '../../envoy/addresses.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import { duration } from '../../envoy/durations.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { DefaultEndpoint, GatewayServer } from '../../model/gateways/gateway-server.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import { buildConnectionPool, buildLoadBalancing, buildOutlierDetection } from '../clusters/connection-pool.js';
import { clusterOf } from '../destination-names.js';
import type { ResourcePart, Scope } from '../generator.js';
import type { GeneratorSettings } from '../settings.js';
import { autoPassthroughServers, type PassedCluster, passedClusters } from './auto-passthrough.js';
import { defaultEndpointCluster } from './gateway-names.js';
import type { GatewayRouter } from './gateway-router.js';

export interface GatewayClusterScope extends Scope {
  readonly passing: readonly GatewayServer[];
  readonly endpoints: readonly DefaultEndpoint[];
  readonly traffic: TrafficView;
}

/**
 * Clusters of routers beside those of services: one for each server name of AUTO_PASSTHROUGH, with the endpoints of its
 * service and without TLS, and one for each default endpoint.
 */
export function createGatewayClustersPart(
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'initialFetchTimeoutMs'>,
  gatewayRouter: GatewayRouter,
): ResourcePart<GatewayClusterScope> {
  const edsConfig = adsConfigSource(settings.initialFetchTimeoutMs);
  const encode = (cluster: Cluster) => encoder.encodeResource(TypeUrl.cluster, cluster.name ?? '', cluster);

  const passed = ({ name, cluster: { destination, policy } }: PassedCluster): Cluster => ({
    name,
    ...buildConnectionPool(policy.connections),
    type: 'EDS',
    // The assignment of the service's own cluster.
    edsClusterConfig: { edsConfig, serviceName: clusterOf(destination) },
    ...buildLoadBalancing(policy),
    ...(policy.outliers === undefined ? {} : { outlierDetection: buildOutlierDetection(policy.outliers) }),
  });

  return {
    name: 'gateways',
    scope: (context, proxy) => {
      if (proxy.type !== 'router') return undefined;
      const facts = gatewayRouter.factsOf(context, proxy);
      const passing = autoPassthroughServers(facts);
      const endpoints = defaultEndpoints(facts.ports.flatMap(({ servers }) => servers));
      if (passing.length === 0 && endpoints.length === 0) return undefined;
      const traffic = context.trafficOf(proxy).inAnyCluster;
      return { key: `${facts.key}|${passing.length === 0 ? '' : traffic.id}`, passing, endpoints, traffic };
    },
    generate: ({ mesh }, { passing, endpoints, traffic }) => {
      const own = endpoints.map((endpoint) => encode(buildDefaultEndpoint(endpoint, mesh.connectTimeoutMs)));
      return {
        resources: [...passedClusters(passing, traffic).map((each) => encode(passed(each))), ...own],
        findings: [],
      };
    },
  };
}

function defaultEndpoints(servers: readonly GatewayServer[]): readonly DefaultEndpoint[] {
  const byName = new Map<string, DefaultEndpoint>();
  for (const { defaultEndpoint } of servers) {
    if (defaultEndpoint !== undefined) byName.set(defaultEndpointCluster(defaultEndpoint), defaultEndpoint);
  }
  return [...byName.values()];
}

function buildDefaultEndpoint(endpoint: DefaultEndpoint, connectTimeoutMs: number): Cluster {
  const name = defaultEndpointCluster(endpoint);
  const address =
    endpoint.type === 'port'
      ? endpointAddress('127.0.0.1', endpoint.port)
      : endpointAddress(`unix://${endpoint.path}`, 0);
  return {
    name,
    type: 'STATIC',
    connectTimeout: duration(connectTimeoutMs),
    loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint: { address } }] }] },
  };
}
