import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { ResourceGenerator } from '../generator.js';
import type { GeneratorSettings } from '../settings.js';
import { createGrpcClusterGenerator } from './grpc-cluster-generator.js';
import { createGrpcEndpointGenerator } from './grpc-endpoint-generator.js';
import { createGrpcListenerGenerator } from './grpc-listener-generator.js';
import { createGrpcRouteGenerator } from './grpc-route-generator.js';

/**
 * The generators of all types that gRPC libraries ask for.
 *
 * @param authorizes whether AuthorizationPolicies apply to servers (plugin authz)
 */
export function createGrpcGenerators(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  authorizes: boolean,
): readonly ResourceGenerator[] {
  return [
    createGrpcClusterGenerator(encoder, settings),
    createGrpcEndpointGenerator(encoder),
    createGrpcListenerGenerator(encoder, settings, authorizes),
    createGrpcRouteGenerator(encoder, settings),
  ] as readonly ResourceGenerator[];
}
