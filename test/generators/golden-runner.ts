import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { load } from 'js-yaml';
import type { EncodedResource } from '../../src/envoy/encoded-resource.js';
import type { Json } from '../../src/envoy/message-json.js';
import { createAuthenticationPlugin } from '../../src/generators/authentication/authentication-plugin.js';
import { createAuthorizationPlugin } from '../../src/generators/authorization/authorization-plugin.js';
import { createClusterGenerator } from '../../src/generators/clusters/cluster-generator.js';
import { createEndpointGenerator } from '../../src/generators/endpoints/endpoint-generator.js';
import { byProxyType } from '../../src/generators/gateways/by-proxy-type.js';
import { createGatewayRouteGenerator } from '../../src/generators/gateways/gateway-route-generator.js';
import { createGatewayRouter } from '../../src/generators/gateways/gateway-router.js';
import type { NamedGenerator, Scope, WildcardGenerator } from '../../src/generators/generator.js';
import { createListenerGenerator } from '../../src/generators/listeners/listener-generator.js';
import { createPatchedGenerators } from '../../src/generators/patches/patched-generators.js';
import { joinExtensionConfigs } from '../../src/generators/plugins/join-extension-configs.js';
import { createPolicyPlugin } from '../../src/generators/policy/policy-plugin.js';
import { createRouteGenerator } from '../../src/generators/routes/route-generator.js';
import { splitRoutes } from '../../src/generators/virtual-hosts/split-routes.js';
import type { Proxy } from '../../src/model/proxy.js';
import type { PushContext } from '../../src/model/push-context.js';
import { projectRoot } from '../counterparts/project-root.js';
import { type GoldenCase, readGoldenCase, toGoldenYaml } from './golden-case.js';
import { CONFIG_ENCODER, ENCODER, generateAll, toJson } from './served-resources.js';

/** The types of a golden case, in the order a proxy is sent them; also the middle part of a file's name. */
export const GOLDEN_TYPES = ['clusters', 'endpoints', 'listeners', 'filters', 'routes', 'virtual-hosts'] as const;
export type GoldenType = (typeof GOLDEN_TYPES)[number];

/** Everything that one proxy of a case is served. */
export type GoldenResources = Readonly<Record<GoldenType, readonly EncodedResource[]>>;

/** Golden files are read and written in the sources; the tests run from the build. */
export const GOLDEN_DIRECTORY = join(projectRoot(), 'test/generators/golden');

/** Resources that nearly every case has, by type: in a case's own files, only their names stand. */
const COMMON_FILE = join(GOLDEN_DIRECTORY, 'common.yaml');

/** One folder each: `in.yaml`, and a file for each type. */
export function goldenCases(): readonly string[] {
  return readdirSync(GOLDEN_DIRECTORY, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

export function goldenPath(name: string, type: GoldenType): string {
  return join(GOLDEN_DIRECTORY, name, `${type}.yaml`);
}

/** Types that most cases have no resources of: these have no file then. */
const RARE: readonly GoldenType[] = ['filters', 'virtual-hosts'];

export function hasGoldenFile(served: ReadonlyMap<string, GoldenResources>, type: GoldenType): boolean {
  return !RARE.includes(type) || [...served.values()].some((resources) => resources[type].length > 0);
}

/** Golden files that belong to no case any more. */
export function staleGoldenFiles(): readonly string[] {
  return goldenCases().flatMap((name) => {
    const served = generateGoldenCase(name);
    const wanted = new Set([
      'in.yaml',
      ...GOLDEN_TYPES.filter((type) => hasGoldenFile(served, type)).map((type) => `${type}.yaml`),
    ]);
    const folder = join(GOLDEN_DIRECTORY, name);
    return readdirSync(folder)
      .filter((file) => !wanted.has(file))
      .map((file) => join(folder, file));
  });
}

export function generateGoldenCase(name: string): ReadonlyMap<string, GoldenResources> {
  const golden = readGoldenCase(name, readFileSync(join(GOLDEN_DIRECTORY, name, 'in.yaml'), 'utf8'));
  // Fresh generators for each proxy: none may depend on what another one was sent.
  return new Map(
    [...golden.proxies].map(([title, proxy]) => [title, createGoldenGenerators(golden)(golden.context, proxy)]),
  );
}

/** The text of one golden file. A resource that equals the common one of its name is written as `common: <name>`. */
export function goldenText(served: ReadonlyMap<string, GoldenResources>, type: GoldenType): string {
  const common = commonResources()[type] ?? [];
  const shortened = (json: Json): Json => {
    const same = common.find((each) => isDeepStrictEqual(each, json));
    return same === undefined ? json : { common: nameOf(same) };
  };
  return toGoldenYaml(
    Object.fromEntries([...served].map(([title, resources]) => [title, resources[type].map(toJson).map(shortened)])),
  );
}

export function commonResources(): Readonly<Partial<Record<GoldenType, readonly Json[]>>> {
  return load(readFileSync(COMMON_FILE, 'utf8')) as ReturnType<typeof commonResources>;
}

export function nameOf(resource: Json): string {
  return typeof resource === 'object' && resource !== null && 'name' in resource ? String(resource['name']) : '';
}

/** Generates everything for a proxy: clusters and listeners first, then the resources that they refer to. */
export function createGoldenGenerators({
  settings,
}: Pick<GoldenCase, 'settings'>): (context: PushContext, proxy: Proxy) => GoldenResources {
  const policy = createPolicyPlugin(ENCODER, CONFIG_ENCODER, settings);
  const authentication = createAuthenticationPlugin(ENCODER, settings);
  const plugins = [authentication, createAuthorizationPlugin(ENCODER, settings), policy];
  const extensionConfigs = joinExtensionConfigs([authentication.extensionConfigs, policy.extensionConfigs]);
  const endpointGenerator = createEndpointGenerator(ENCODER);
  const [clusterGenerator, listenerGenerator, wholeTables] = createPatchedGenerators([
    createClusterGenerator(ENCODER, settings, [policy.clusters], undefined, policy.calledClusters),
    createListenerGenerator(ENCODER, settings, plugins),
    byProxyType(
      createRouteGenerator(ENCODER, settings, plugins),
      createGatewayRouteGenerator(ENCODER, createGatewayRouter(settings), plugins),
    ),
  ]) as [WildcardGenerator, WildcardGenerator, NamedGenerator];
  const { tables, virtualHosts } = splitRoutes(wholeTables, ENCODER, settings);
  return (context, proxy) => {
    const named = <S extends Scope>(
      generator: NamedGenerator<S>,
      names: readonly string[],
    ): readonly EncodedResource[] => {
      const scope = generator.scope(context, proxy);
      return names.map((name) => {
        const resource = generator.generate(context, scope, name);
        if (resource === undefined) throw new Error(`${proxy.id} is told to ask for ${name}, which does not exist`);
        return resource;
      });
    };
    const clusters = generateAll(clusterGenerator, context, proxy).resources;
    const listeners = generateAll(listenerGenerator, context, proxy).resources;
    const tableNames = namesUnder('rds', 'routeConfigName', listeners);
    const hostScope = virtualHosts.scope(context, proxy);
    return {
      clusters,
      endpoints: named(endpointGenerator, namesUnder('edsClusterConfig', 'serviceName', clusters)),
      listeners,
      filters: named(extensionConfigs, filterNames(listeners)),
      routes: named(tables, tableNames),
      'virtual-hosts': tableNames.flatMap((table) => virtualHosts.generate(context, hostScope, table)),
    };
  };
}

/** Names of the filters without a configuration in place, sorted, each once. */
function filterNames(listeners: readonly EncodedResource[]): readonly string[] {
  const names = new Set<string>();
  const visit = (json: Json): void => {
    if (typeof json !== 'object' || json === null) return;
    if (!Array.isArray(json) && 'configDiscovery' in json) names.add(String(json['name']));
    for (const value of Object.values(json)) visit(value);
  };
  for (const listener of listeners) visit(toJson(listener));
  return [...names].sort();
}

/** Every text in a field below a message of the given field, sorted, each once. */
function namesUnder(parent: string, field: string, resources: readonly EncodedResource[]): readonly string[] {
  const names = new Set<string>();
  const visit = (json: Json): void => {
    if (typeof json !== 'object' || json === null) return;
    if (!Array.isArray(json)) {
      const below = json[parent];
      const name = typeof below === 'object' && below !== null && !Array.isArray(below) ? below[field] : undefined;
      if (typeof name === 'string') names.add(name);
    }
    for (const value of Object.values(json)) visit(value);
  };
  for (const resource of resources) visit(toJson(resource));
  return [...names].sort();
}
