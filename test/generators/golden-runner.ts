import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EncodedResource } from '../../src/envoy/encoded-resource.js';
import type { Json } from '../../src/envoy/message-json.js';
import { createAuthorizationPlugin } from '../../src/generators/authorization/authorization-plugin.js';
import { createClusterGenerator } from '../../src/generators/clusters/cluster-generator.js';
import { createEndpointGenerator } from '../../src/generators/endpoints/endpoint-generator.js';
import type { NamedGenerator, Scope } from '../../src/generators/generator.js';
import { createListenerGenerator } from '../../src/generators/listeners/listener-generator.js';
import { createPolicyPlugin } from '../../src/generators/policy/policy-plugin.js';
import { createRouteGenerator } from '../../src/generators/routes/route-generator.js';
import type { Proxy } from '../../src/model/proxy.js';
import { projectRoot } from '../counterparts/project-root.js';
import { type GoldenCase, readGoldenCase, toGoldenYaml } from './golden-case.js';
import { CONFIG_ENCODER, ENCODER, generateAll, toJson } from './served-resources.js';

/** The types of a golden case, in the order a proxy is sent them; also the middle part of a file's name. */
export const GOLDEN_TYPES = ['clusters', 'endpoints', 'listeners', 'filters', 'routes'] as const;
export type GoldenType = (typeof GOLDEN_TYPES)[number];

/** Everything that one proxy of a case is served. */
export type GoldenResources = Readonly<Record<GoldenType, readonly EncodedResource[]>>;

const INPUT_SUFFIX = '.in.yaml';

/** Golden files are read and written in the sources; the tests run from the build. */
export const GOLDEN_DIRECTORY = join(projectRoot(), 'test/generators/golden');

export function goldenCases(): readonly string[] {
  return readdirSync(GOLDEN_DIRECTORY)
    .filter((file) => file.endsWith(INPUT_SUFFIX))
    .map((file) => file.slice(0, -INPUT_SUFFIX.length))
    .sort();
}

export function goldenPath(name: string, type: GoldenType): string {
  return join(GOLDEN_DIRECTORY, goldenFile(name, type));
}

/** Most cases have no filters that are asked for by name, and no file of them then. */
export function hasGoldenFile(served: ReadonlyMap<string, GoldenResources>, type: GoldenType): boolean {
  return type !== 'filters' || [...served.values()].some(({ filters }) => filters.length > 0);
}

/** Golden files that belong to no case any more. */
export function staleGoldenFiles(): readonly string[] {
  const wanted = new Set(
    goldenCases().flatMap((name) => {
      const served = generateGoldenCase(name);
      return GOLDEN_TYPES.filter((type) => hasGoldenFile(served, type)).map((type) => goldenFile(name, type));
    }),
  );
  return readdirSync(GOLDEN_DIRECTORY)
    .filter((file) => !file.endsWith(INPUT_SUFFIX) && !wanted.has(file))
    .map((file) => join(GOLDEN_DIRECTORY, file));
}

function goldenFile(name: string, type: GoldenType): string {
  return `${name}.${type}.yaml`;
}

/** The resources of every proxy of a case, by the title of the proxy. */
export function generateGoldenCase(name: string): ReadonlyMap<string, GoldenResources> {
  const file = `${name}${INPUT_SUFFIX}`;
  const golden = readGoldenCase(file, readFileSync(join(GOLDEN_DIRECTORY, file), 'utf8'));
  return new Map([...golden.proxies].map(([title, proxy]) => [title, generateFor(golden, proxy)]));
}

/** The text of one golden file. */
export function goldenText(served: ReadonlyMap<string, GoldenResources>, type: GoldenType): string {
  return toGoldenYaml(
    Object.fromEntries([...served].map(([title, resources]) => [title, resources[type].map(toJson)])),
  );
}

/** In the order of a proxy: clusters and listeners first, then the resources that they refer to. */
function generateFor({ context, settings }: GoldenCase, proxy: Proxy): GoldenResources {
  const policy = createPolicyPlugin(ENCODER, CONFIG_ENCODER, settings);
  const plugins = [createAuthorizationPlugin(ENCODER, settings), policy];
  const clusters = generateAll(createClusterGenerator(ENCODER, settings, [policy.clusters]), context, proxy).resources;
  const listeners = generateAll(createListenerGenerator(ENCODER, settings, plugins), context, proxy).resources;
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
  return {
    clusters,
    endpoints: named(createEndpointGenerator(ENCODER), namesUnder('edsClusterConfig', 'serviceName', clusters)),
    listeners,
    filters: named(policy.extensionConfigs, filterNames(listeners)),
    routes: named(createRouteGenerator(ENCODER, settings, plugins), namesUnder('rds', 'routeConfigName', listeners)),
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
