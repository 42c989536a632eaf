import type { EncodedResource } from '../envoy/encoded-resource.js';
import { compareNames, nextResourceSet, type ResourceSet } from '../envoy/resource-set.js';
import type { Generated, NamedGenerator, ResourceGenerator, WildcardGenerator } from '../generators/generator.js';
import type { Finding } from '../model/finding.js';
import type { Proxy } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import type { PushRequest } from '../model/push-request.js';
import type { NameSet } from './name-set.js';

/**
 * Generated resources of the current snapshot, by scope: proxies with equal scopes share one ResourceSet,
 * and a set whose content did not change keeps its identity from one snapshot to the next.
 */
export interface ResourceCache {
  /** From now on resources come from this snapshot; types that the request cannot concern keep theirs. */
  advance(context: PushContext, request: PushRequest): void;
  /** @param names what a proxy asks for; undefined for everything (wildcard types only). */
  resourcesFor(generator: ResourceGenerator, proxy: Proxy, names: NameSet | undefined): ResourceSet;
  /** What generation met for the proxies that are served. */
  findings(): readonly Finding[];
  /** Number of part generations run since start: shows that equal scopes cost one. */
  readonly generations: number;
}

interface Entry {
  readonly set: ResourceSet;
  readonly findings: readonly Finding[];
}

/** What is remembered of one type. */
interface TypeCache {
  readonly generator: ResourceGenerator;
  /** By part and scope. */
  parts: Map<string, Generated>;
  /** By scopes and names. */
  sets: Map<string, Entry>;
  /** Of the snapshot before: to recognise what did not change. */
  previousSets: Map<string, Entry>;
}

/** Scopes that nobody has any more are forgotten with the next change of their type, or beyond this many. */
const MAX_SETS_PER_TYPE = 10_000;

export function createResourceCache(initial: PushContext): ResourceCache {
  const types = new Map<string, TypeCache>();
  let context = initial;
  let generations = 0;

  const typeCache = (generator: ResourceGenerator): TypeCache => {
    let cache = types.get(generator.typeUrl);
    if (cache === undefined) {
      cache = { generator, parts: new Map(), sets: new Map(), previousSets: new Map() };
      types.set(generator.typeUrl, cache);
    }
    return cache;
  };

  const generateParts = (cache: TypeCache, generator: WildcardGenerator, proxy: Proxy) => {
    const generated: Generated[] = [];
    let key = '';
    for (const part of generator.parts) {
      const scope = part.scope(context, proxy);
      if (scope === undefined) continue;
      const partKey = `${part.name}\n${scope.key}`;
      let result = cache.parts.get(partKey);
      if (result === undefined) {
        generations++;
        result = part.generate(context, scope);
        cache.parts.set(partKey, result);
      }
      key += `${partKey}\n`;
      generated.push(result);
    }
    return { key, generated };
  };

  const remember = (cache: TypeCache, key: string, resources: readonly EncodedResource[], findings: Finding[]) => {
    const set = nextResourceSet(cache.previousSets.get(key)?.set, resources);
    if (cache.sets.size >= MAX_SETS_PER_TYPE) cache.sets.clear();
    cache.sets.set(key, { set, findings });
    return set;
  };

  const wildcardResources = (generator: WildcardGenerator, proxy: Proxy, names: NameSet | undefined): ResourceSet => {
    const cache = typeCache(generator);
    const { key: scopes, generated } = generateParts(cache, generator, proxy);
    const key = `${scopes}${names?.id ?? '*'}`;
    const known = cache.sets.get(key);
    if (known !== undefined) return known.set;
    const all = mergeSorted(generated.map((part) => part.resources));
    return remember(cache, key, names === undefined ? all : onlyNamed(all, names), []);
  };

  const namedResources = (generator: NamedGenerator, proxy: Proxy, names: NameSet): ResourceSet => {
    const cache = typeCache(generator);
    const scope = generator.scope(context, proxy);
    const key = `${scope.key}\n${names.id}`;
    const known = cache.sets.get(key);
    if (known !== undefined) return known.set;
    generations++;
    const resources: EncodedResource[] = [];
    const findings: Finding[] = [];
    for (const name of names.names) {
      const resource = generator.generate(context, scope, name);
      if (resource !== undefined) resources.push(resource);
      if (generator.findings !== undefined) findings.push(...generator.findings(context, scope, name));
    }
    return remember(cache, key, resources, findings);
  };

  return {
    advance: (next, request) => {
      context = next;
      for (const cache of types.values()) {
        if (!isConcerned(cache.generator, request)) continue;
        cache.parts = new Map();
        if (cache.sets.size > 0) cache.previousSets = cache.sets;
        cache.sets = new Map();
      }
    },
    resourcesFor: (generator, proxy, names) =>
      generator.mode === 'wildcard'
        ? wildcardResources(generator, proxy, names)
        : namedResources(generator, proxy, names ?? NO_NAMES),
    findings: () => {
      const all: Finding[] = [];
      for (const { parts, sets } of types.values()) {
        for (const part of parts.values()) all.push(...part.findings);
        for (const entry of sets.values()) all.push(...entry.findings);
      }
      return all;
    },
    get generations() {
      return generations;
    },
  };
}

const NO_NAMES: NameSet = { id: '', names: [] };

function isConcerned(generator: ResourceGenerator, request: PushRequest): boolean {
  return generator.affectedBy(request, 'sidecar') || generator.affectedBy(request, 'router');
}

function onlyNamed(resources: readonly EncodedResource[], names: NameSet): readonly EncodedResource[] {
  const wanted = new Set(names.names);
  return resources.filter((resource) => wanted.has(resource.name));
}

/** Merges lists that are each sorted by name; one list comes back as it is. */
function mergeSorted(lists: readonly (readonly EncodedResource[])[]): readonly EncodedResource[] {
  const [first, ...rest] = lists.filter((list) => list.length > 0);
  if (first === undefined) return [];
  if (rest.length === 0) return first;
  return first.concat(...rest).sort(compareNames);
}
