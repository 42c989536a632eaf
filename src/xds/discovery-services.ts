import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import { TypeUrl } from '../envoy/type-urls.js';
import { passThrough, rawStreamingMethod } from '../net/raw-method.js';
import { type CallGate, runGated } from './call-gate.js';
import { DELTA } from './delta/delta-protocol.js';
import type { ProtocolVariant } from './discovery-protocol.js';
import { STATE_OF_THE_WORLD } from './state-of-the-world.js';
import { StreamError } from './stream-error.js';

/** One streaming method that the server implements. */
export interface DiscoveryMethod extends ServedType {
  readonly method: string;
  readonly variant: ProtocolVariant;
}

interface ServedType {
  /** Full gRPC service name. */
  readonly service: string;
  /** The only type of a per-type service; undefined for the aggregated one. */
  readonly onlyType: string | undefined;
}

/** The served v3 discovery services of Envoy's API. Their fetch methods answer UNIMPLEMENTED. */
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

/** Each service has a method for each variant of xDS. */
export const DISCOVERY_METHODS: readonly DiscoveryMethod[] = SERVICES.flatMap(({ service, suffix, onlyType }) => [
  { service, onlyType, method: `Stream${suffix}`, variant: STATE_OF_THE_WORLD },
  { service, onlyType, method: `Delta${suffix}`, variant: DELTA },
]);

type RawCall = ServerDuplexStream<Buffer, Buffer>;

/**
 * Adds the methods of the discovery services that are not implemented, behind the gate: an unauthenticated caller gets
 * the same answer from all methods.
 */
export function addUnservedMethods(server: Server, gate: CallGate): void {
  for (const { service, suffix, onlyType } of SERVICES) {
    // The aggregated service has nothing to fetch. On the wire a unary call is a stream of one message.
    if (onlyType === undefined) continue;
    const name = `Fetch${suffix}`;
    const path = `/${service}/${name}`;
    server.addService(
      { [name]: rawStreamingMethod(path, passThrough) },
      { [name]: (call: RawCall) => void runGated(call, gate, () => refuse(path)) },
    );
  }
}

async function refuse(path: string): Promise<void> {
  throw new StreamError('UNIMPLEMENTED', `The server does not implement the method ${path}`);
}
