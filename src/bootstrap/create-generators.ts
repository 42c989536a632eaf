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
import { generatorSettings } from './map-options.js';
import type { Environment, PluginName } from './options.js';

/** What decides about the generators beside the environment. */
export interface GeneratorOptions {
  /** In filter order (--plugins). */
  readonly plugins: readonly PluginName[];
  /** Port of the policy server in this process; asked for when a proxy is served. */
  readonly embeddedPolicyPort: () => number;
  /** `--trust-domain`; empty: of the mesh config. */
  readonly trustDomain: string;
  /** What the policy server in this process is known by over mutual TLS; left out for plaintext. */
  readonly policyServerIdentity?: NonNullable<GeneratorSettings['policyServerIdentity']>;
}

/**
 * What each plugin of `--plugins` adds to filters and routes. PeerAuthentications are read by the model where authn is
 * on; authz and health have no effect yet (UNIMPLEMENTED in src/cli/settings/setting.ts;
 * docs/reference/policy-client.md#policy-plugin).
 */
const PLUGINS: Readonly<Record<PluginName, typeof createPolicyPlugin | undefined>> = {
  authn: undefined,
  authz: undefined,
  health: undefined,
  policy: createPolicyPlugin,
};

/** Every resource type that is served, by type URL. */
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
