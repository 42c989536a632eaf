import type { MessageEncoder } from '../envoy/message-encoder.js';
import { createClusterGenerator } from '../generators/clusters/cluster-generator.js';
import { createEndpointGenerator } from '../generators/endpoints/endpoint-generator.js';
import type { ResourceGenerator } from '../generators/generator.js';
import { createListenerGenerator } from '../generators/listeners/listener-generator.js';
import { createPolicyConfigGenerators } from '../generators/policy/client-configs/policy-config-generators.js';
import { createPolicyPlugin } from '../generators/policy/policy-plugin.js';
import { createRouteGenerator } from '../generators/routes/route-generator.js';
import type { GeneratorSettings } from '../generators/settings.js';
import { createConfigEncoder } from '../policy/wire/config-encoder.js';
import type { Environment } from './environment.js';
import { generatorSettings } from './map-options.js';
import type { PluginName } from './options.js';

/** Settings of the generators that are not environment variables. */
export interface GeneratorOptions {
  /** In filter order (--plugins). */
  readonly plugins: readonly PluginName[];
  /** Port of the policy server in this process, at the time when a proxy is served. */
  readonly embeddedPolicyPort: () => number;
  /** `--trust-domain`; empty: the trust domain of the mesh config. */
  readonly trustDomain: string;
  /** Identity of the policy server in this process over mutual TLS; left out for plaintext. */
  readonly policyServerIdentity?: NonNullable<GeneratorSettings['policyServerIdentity']>;
}

/**
 * The filters and routes that each plugin of `--plugins` adds. For authn, the model reads PeerAuthentications. authz
 * and health have no effect yet (docs/reference/policy-client.md#policy-plugin).
 */
const PLUGINS: Readonly<Record<PluginName, typeof createPolicyPlugin | undefined>> = {
  authn: undefined,
  authz: undefined,
  health: undefined,
  policy: createPolicyPlugin,
};

/** The generators of all served resource types, by type URL. */
export function createGenerators(
  encoder: MessageEncoder,
  environment: Environment,
  { plugins, ...flags }: GeneratorOptions,
): ReadonlyMap<string, ResourceGenerator> {
  const settings = generatorSettings(environment, flags);
  const texts = createConfigEncoder(encoder);
  const active = plugins.flatMap((name) => PLUGINS[name]?.(encoder, texts, settings) ?? []);
  const generators: ResourceGenerator[] = [
    createClusterGenerator(
      encoder,
      settings,
      active.map((plugin) => plugin.clusters),
    ),
    createEndpointGenerator(encoder),
    createListenerGenerator(encoder, settings, active),
    createRouteGenerator(encoder, settings, active),
    ...active.map((plugin) => plugin.extensionConfigs),
    ...(plugins.includes('policy') ? createPolicyConfigGenerators(encoder, settings) : []),
  ];
  return new Map(generators.map((generator) => [generator.typeUrl, generator]));
}
