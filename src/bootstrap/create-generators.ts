import type { MessageEncoder } from '../envoy/message-encoder.js';
import { createClusterGenerator } from '../generators/clusters/cluster-generator.js';
import { createEndpointGenerator } from '../generators/endpoints/endpoint-generator.js';
import type { ResourceGenerator } from '../generators/generator.js';
import { createListenerGenerator } from '../generators/listeners/listener-generator.js';
import { createRouteGenerator } from '../generators/routes/route-generator.js';
import { generatorSettings } from './generator-settings.js';
import type { Environment } from './options.js';

/** Every resource type that is served, by type URL. */
export function createGenerators(
  encoder: MessageEncoder,
  environment: Environment,
): ReadonlyMap<string, ResourceGenerator> {
  const settings = generatorSettings(environment);
  const generators: ResourceGenerator[] = [
    createClusterGenerator(encoder, settings),
    createEndpointGenerator(encoder),
    createListenerGenerator(encoder, settings),
    createRouteGenerator(encoder, settings),
  ];
  return new Map(generators.map((generator) => [generator.typeUrl, generator]));
}
