import type { KindRegistry } from '../config/kinds.js';
import type { MessageEncoder } from '../envoy/message-encoder.js';
import { TypeUrl } from '../envoy/type-urls.js';
import { createAuthenticationPlugin } from '../generators/authentication/authentication-plugin.js';
import { createAuthorizationPlugin } from '../generators/authorization/authorization-plugin.js';
import { createClusterGenerator } from '../generators/clusters/cluster-generator.js';
import { createEndpointGenerator } from '../generators/endpoints/endpoint-generator.js';
import { byProxyType } from '../generators/gateways/by-proxy-type.js';
import { createGatewayRouteGenerator } from '../generators/gateways/gateway-route-generator.js';
import { createGatewayRouter } from '../generators/gateways/gateway-router.js';
import type { NamedGenerator, ResourceGenerator } from '../generators/generator.js';
import { createGrpcGenerators } from '../generators/grpc/grpc-generators.js';
import { createListenerGenerator } from '../generators/listeners/listener-generator.js';
import { createNameTableGenerator } from '../generators/names/name-table-generator.js';
import { createObjectGenerators } from '../generators/objects/object-generators.js';
import { createPatchedGenerators } from '../generators/patches/patched-generators.js';
import { joinExtensionConfigs } from '../generators/plugins/join-extension-configs.js';
import type { NetworkingPlugin } from '../generators/plugins/networking-plugin.js';
import { createPolicyConfigGenerators } from '../generators/policy/client-configs/policy-config-generators.js';
import { createPolicyPlugin } from '../generators/policy/policy-plugin.js';
import { createRouteGenerator } from '../generators/routes/route-generator.js';
import type { GeneratorSettings } from '../generators/settings.js';
import { splitRoutes } from '../generators/virtual-hosts/split-routes.js';
import { createConfigEncoder } from '../policy/wire/config-encoder.js';
import type { Environment } from './environment.js';
import { generatorSettings } from './map-options.js';
import type { PluginName } from './options.js';

/** Settings of the generators that are not environment variables. */
export interface GeneratorOptions {
  /** --plugins */
  readonly plugins: readonly PluginName[];
  /** Port of the policy server in this process, at the time when a proxy is served. */
  readonly embeddedPolicyPort: () => number;
  /** `--trust-domain`; empty: the trust domain of the mesh config. */
  readonly trustDomain: string;
  /** Identity of the policy server in this process over mutual TLS; left out for plaintext. */
  readonly policyServerIdentity?: NonNullable<GeneratorSettings['policyServerIdentity']>;
}

type CreatePlugin = (...parts: Parameters<typeof createPolicyPlugin>) => NetworkingPlugin;

/**
 * The filters and routes that each plugin of `--plugins` adds, in the order of their filters: RBAC reads the claims that
 * authn verifies, and quotas are charged for allowed requests only. The order of `--plugins` has no effect. health adds
 * nothing.
 */
const PLUGINS: Readonly<Record<PluginName, CreatePlugin | undefined>> = {
  authn: (encoder, _texts, settings) => createAuthenticationPlugin(encoder, settings),
  authz: (encoder, _texts, settings) => createAuthorizationPlugin(encoder, settings),
  health: undefined,
  policy: createPolicyPlugin,
};

/** The generators of gRPC clients without proxies, by type URL. Of the plugins only authz acts on them, and no EnvoyFilter. */
export function createProxylessGenerators(
  encoder: MessageEncoder,
  environment: Environment,
  { plugins, ...flags }: GeneratorOptions,
): ReadonlyMap<string, ResourceGenerator> {
  const generators = createGrpcGenerators(encoder, generatorSettings(environment, flags), plugins.includes('authz'));
  return new Map(generators.map((generator) => [generator.typeUrl, generator]));
}

/** The generators of clients that get configuration objects, by type URL. */
export function createApiGenerators(
  encoder: MessageEncoder,
  { definitions }: Pick<KindRegistry, 'definitions'>,
): ReadonlyMap<string, ResourceGenerator> {
  const generators: readonly ResourceGenerator[] = createObjectGenerators(encoder, definitions);
  return new Map(generators.map((generator) => [generator.typeUrl, generator]));
}

/** The generators of all served resource types, by type URL. */
export function createGenerators(
  encoder: MessageEncoder,
  environment: Environment,
  { plugins, ...flags }: GeneratorOptions,
): ReadonlyMap<string, ResourceGenerator> {
  const settings = generatorSettings(environment, flags);
  const texts = createConfigEncoder(encoder);
  const gatewayRouter = createGatewayRouter(settings);
  const active = Object.entries(PLUGINS).flatMap(([name, create]) =>
    plugins.includes(name as PluginName) ? (create?.(encoder, texts, settings) ?? []) : [],
  );
  const extensionConfigs = active.flatMap((plugin) => plugin.extensionConfigs ?? []);
  const generators: ResourceGenerator[] = [
    createClusterGenerator(
      encoder,
      settings,
      active.flatMap((plugin) => plugin.clusters ?? []),
      gatewayRouter,
      (context) => active.flatMap((plugin) => plugin.calledClusters?.(context) ?? []),
    ),
    createEndpointGenerator(encoder),
    createListenerGenerator(encoder, settings, active, gatewayRouter),
    byProxyType(
      createRouteGenerator(encoder, settings, active),
      createGatewayRouteGenerator(encoder, gatewayRouter, active),
    ),
    createNameTableGenerator(encoder),
    ...(extensionConfigs.length === 0 ? [] : [joinExtensionConfigs(extensionConfigs)]),
    ...(plugins.includes('policy') ? createPolicyConfigGenerators(encoder, settings, environment.meshLang) : []),
  ];
  const patched = createPatchedGenerators(generators);
  const byType = new Map(patched.map((generator) => [generator.typeUrl, generator]));
  // After the patches, which apply to whole tables.
  const { tables, virtualHosts } = splitRoutes(byType.get(TypeUrl.route) as NamedGenerator, encoder, settings);
  return byType.set(tables.typeUrl, tables).set(virtualHosts.typeUrl, virtualHosts);
}
