import type { EncodedResource } from '../envoy/encoded-resource.js';
import { compareNames, nextResourceSet, type ResourceSet } from '../envoy/resource-set.js';
import type { Generated, NamedGenerator, ResourceGenerator, WildcardGenerator } from '../generators/generator.js';
import type { Finding } from '../model/finding.js';
import type { Proxy } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import type { NameSet } from './name-set.js';

/**
 * Generated resources of the current snapshot, by scope: proxies with equal scopes share one ResourceSet,
 * and a set whose content did not change keeps its identity from one snapshot to the next.
 */
export interface ResourceCache {
  /** From now on resources come from this snapshot. */
  advance(context: PushContext): void;
  /** @param names what a proxy asks for; undefined for everything (wildcard types only). */
  resourcesFor(generator: ResourceGenerator, proxy: Proxy, names: NameSet | undefined): ResourceSet;
  /** What generation met in this snapshot so far. */
  findings(): readonly Finding[];
  /** Number of part generations run since start: shows that equal scopes cost one. */
  readonly generations: number;
}

interface Entry {
  readonly set: ResourceSet;
  readonly findings: readonly Finding[];
}

export function createResourceCache(initial: PushContext): ResourceCache {
  let context = initial;
  let parts = new Map<string, Generated>();
  let sets = new Map<string, Entry>();
  let previousSets = new Map<string, Entry>();
  let generations = 0;

  const generatePart = (generator: WildcardGenerator, proxy: Proxy): { keys: string; generated: Generated[] } => {
    const generated: Generated[] = [];
    let keys = '';
    for (const part of generator.parts) {
      const scope = part.scope(context, proxy);
      if (scope === undefined) continue;
      const key = `${generator.typeUrl}\n${part.name}\n${scope.key}`;
      let result = parts.get(key);
      if (result === undefined) {
        generations++;
        result = part.generate(context, scope);
        parts.set(key, result);
      }
      keys += `${key}\n`;
      generated.push(result);
    }
    return { keys, generated };
  };

  const remember = (key: string, resources: readonly EncodedResource[], findings: readonly Finding[]): ResourceSet => {
    const set = nextResourceSet(previousSets.get(key)?.set, resources);
    sets.set(key, { set, findings });
    return set;
  };

  const wildcardResources = (generator: WildcardGenerator, proxy: Proxy, names: NameSet | undefined): ResourceSet => {
    const { keys, generated } = generatePart(generator, proxy);
    const key = `${keys}${names?.id ?? '*'}`;
    const known = sets.get(key);
    if (known !== undefined) return known.set;
    let resources = mergeSorted(generated.map((part) => part.resources));
    if (names !== undefined) {
      const wanted = new Set(names.names);
      resources = resources.filter((resource) => wanted.has(resource.name));
    }
    return remember(key, resources, []);
  };

  const namedResources = (generator: NamedGenerator, proxy: Proxy, names: NameSet): ResourceSet => {
    const scope = generator.scope(context, proxy);
    const key = `${generator.typeUrl}\n${scope.key}\n${names.id}`;
    const known = sets.get(key);
    if (known !== undefined) return known.set;
    generations++;
    const resources: EncodedResource[] = [];
    const findings: Finding[] = [];
    for (const name of names.names) {
      const resource = generator.generate(context, scope, name);
      if (resource !== undefined) resources.push(resource);
      if (generator.findings !== undefined) findings.push(...generator.findings(context, scope, name));
    }
    return remember(key, resources, findings);
  };

  return {
    advance: (next) => {
      context = next;
      parts = new Map();
      // Two generations of sets are kept: one to answer with, one to recognise what did not change.
      previousSets = sets.size > 0 ? sets : previousSets;
      sets = new Map();
    },
    resourcesFor: (generator, proxy, names) =>
      generator.mode === 'wildcard'
        ? wildcardResources(generator, proxy, names)
        : namedResources(generator, proxy, names ?? NO_NAMES),
    findings: () => {
      const all: Finding[] = [];
      for (const part of parts.values()) all.push(...part.findings);
      for (const entry of sets.values()) all.push(...entry.findings);
      return all;
    },
    get generations() {
      return generations;
    },
  };
}

const NO_NAMES: NameSet = { id: '', names: [] };

/** Merges lists that are each sorted by name; one list comes back as it is. */
function mergeSorted(lists: readonly (readonly EncodedResource[])[]): readonly EncodedResource[] {
  const [first, ...rest] = lists.filter((list) => list.length > 0);
  if (first === undefined) return [];
  if (rest.length === 0) return first;
  return first.concat(...rest).sort(compareNames);
}
