import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import { TypeUrl } from '../envoy/type-urls.js';
import { passThrough, rawStreamingMethod } from '../net/raw-method.js';
import { type CallGate, runGated } from './call-gate.js';
import { StreamError } from './stream-error.js';

/** One state-of-the-world streaming method that the server implements. */
export interface DiscoveryMethod {
  /** Full gRPC service name. */
  readonly service: string;
  readonly method: string;
  /** The only type of a per-type service; undefined for the aggregated one. */
  readonly onlyType: string | undefined;
}

/** The served v3 discovery services of Envoy's API. Their delta and fetch methods answer UNIMPLEMENTED. */
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

type RawCall = ServerDuplexStream<Buffer, Buffer>;

/**
 * Adds the methods of the discovery services that are not implemented, behind the gate: an unauthenticated caller gets
 * the same answer from all methods.
 */
export function addUnservedMethods(server: Server, gate: CallGate): void {
  for (const { service, method, onlyType } of DISCOVERY_METHODS) {
    // The aggregated service has nothing to fetch. On the wire a unary call is a stream of one message.
    const kinds = onlyType === undefined ? ['Delta'] : ['Delta', 'Fetch'];
    for (const name of kinds.map((kind) => method.replace(/^Stream/, kind))) {
      const path = `/${service}/${name}`;
      server.addService(
        { [name]: rawStreamingMethod(path, passThrough) },
        { [name]: (call: RawCall) => void runGated(call, gate, () => refuse(path)) },
      );
    }
  }
}

async function refuse(path: string): Promise<void> {
  throw new StreamError('UNIMPLEMENTED', `The server does not implement the method ${path}`);
}
