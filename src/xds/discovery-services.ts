import { TypeUrl } from '../envoy/type-urls.js';
import { DELTA } from './delta/delta-protocol.js';
import type { ProtocolVariant } from './discovery-protocol.js';
import { STATE_OF_THE_WORLD } from './state-of-the-world.js';

/** One streaming method that the server implements. */
export interface DiscoveryMethod extends ServedType {
  readonly method: string;
  readonly variant: ProtocolVariant;
  /** The call has one response. Default: any number. */
  readonly isUnary?: boolean;
}

interface ServedType {
  /** Full gRPC service name. */
  readonly service: string;
  /** The only type of a per-type service; undefined for the aggregated one. */
  readonly onlyType: string | undefined;
}

/** The served v3 discovery services of Envoy's API. */
const SERVICES: readonly (ServedType & { readonly suffix: string })[] = [
  {
    service: 'envoy.service.discovery.v3.AggregatedDiscoveryService',
    suffix: 'AggregatedResources',
    onlyType: undefined,
  },
  {
    service: 'envoy.service.cluster.v3.ClusterDiscoveryService',
    suffix: 'Clusters',
    onlyType: TypeUrl.cluster,
  },
  {
    service: 'envoy.service.endpoint.v3.EndpointDiscoveryService',
    suffix: 'Endpoints',
    onlyType: TypeUrl.endpoint,
  },
  {
    service: 'envoy.service.listener.v3.ListenerDiscoveryService',
    suffix: 'Listeners',
    onlyType: TypeUrl.listener,
  },
  {
    service: 'envoy.service.route.v3.RouteDiscoveryService',
    suffix: 'Routes',
    onlyType: TypeUrl.route,
  },
  {
    service: 'envoy.service.extension.v3.ExtensionConfigDiscoveryService',
    suffix: 'ExtensionConfigs',
    onlyType: TypeUrl.extensionConfig,
  },
];

/**
 * Each service has a method for each variant of xDS. A fetch is a stream with one request and one response, which only
 * the services of one type have.
 */
export const DISCOVERY_METHODS: readonly DiscoveryMethod[] = SERVICES.flatMap(({ service, suffix, onlyType }) => [
  { service, onlyType, method: `Stream${suffix}`, variant: STATE_OF_THE_WORLD },
  { service, onlyType, method: `Delta${suffix}`, variant: DELTA },
  ...(onlyType === undefined
    ? []
    : [{ service, onlyType, method: `Fetch${suffix}`, variant: STATE_OF_THE_WORLD, isUnary: true }]),
]);
