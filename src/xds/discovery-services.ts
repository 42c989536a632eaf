import { TypeUrl } from '../envoy/type-urls.js';

/** One state-of-the-world streaming method that we serve. */
export interface DiscoveryMethod {
  /** Full gRPC service name. */
  readonly service: string;
  readonly method: string;
  /** The only type of a per-type service; undefined for the aggregated one. */
  readonly onlyType: string | undefined;
}

/** The v3 discovery services of Envoy's API that we serve; their delta and fetch methods answer UNIMPLEMENTED. */
export const DISCOVERY_METHODS: readonly DiscoveryMethod[] = [
  {
    service: 'envoy.service.discovery.v3.AggregatedDiscoveryService',
    method: 'StreamAggregatedResources',
    onlyType: undefined,
  },
  {
    service: 'envoy.service.cluster.v3.ClusterDiscoveryService',
    method: 'StreamClusters',
    onlyType: TypeUrl.cluster,
  },
  {
    service: 'envoy.service.endpoint.v3.EndpointDiscoveryService',
    method: 'StreamEndpoints',
    onlyType: TypeUrl.endpoint,
  },
  {
    service: 'envoy.service.listener.v3.ListenerDiscoveryService',
    method: 'StreamListeners',
    onlyType: TypeUrl.listener,
  },
  {
    service: 'envoy.service.route.v3.RouteDiscoveryService',
    method: 'StreamRoutes',
    onlyType: TypeUrl.route,
  },
  {
    service: 'envoy.service.extension.v3.ExtensionConfigDiscoveryService',
    method: 'StreamExtensionConfigs',
    onlyType: TypeUrl.extensionConfig,
  },
];
