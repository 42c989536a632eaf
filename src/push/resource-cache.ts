import type { EncodedResource } from '../envoy/encoded-resource.js';
import {
  EMPTY_RESOURCE_SET,
  joinResourceSets,
  nextResourceSet,
  type ResourceSet,
  resourceOf,
} from '../envoy/resource-set.js';
import type {
  GroupedGenerator,
  NamedGenerator,
  ResourceGenerator,
  WildcardGenerator,
} from '../generators/generator.js';
import type { Finding } from '../model/finding.js';
import type { Proxy } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import { type ChangedHosts, changedHosts, createHostIndex, type HostIndex, mergeChangedHosts } from './host-index.js';
import { hasName, type NameSet, WILDCARD } from './name-set.js';
import { generateNamed, type NamedFindings, type NamedResult, type NamedWork, updateNamed } from './named-resources.js';
import { createPartMemory, type PartMemory } from './part-memory.js';
import type { PushNotice } from './push-notice.js';
import { createWeakMemory, type WeakMemory } from './weak-memory.js';
import { finish, type SharedWork, shareWork, type Work } from './work.js';

/**
 * Generated resources of the current snapshot, by scope: proxies with equal scopes share one ResourceSet,
 * and a set whose content did not change keeps its identity from one snapshot to the next.
 */
export interface ResourceCache {
  /** Generates resources from this snapshot from now on. Types that the push does not concern keep their resources. */
  advance(context: PushContext, notice: PushNotice): void;
  /**
   * @param names the proxy's subscription. For wildcard types undefined stands for everything, and so does `*`; names
   *   beside it are those that an on-demand proxy has asked for. For grouped types these are the groups
   */
  resourcesFor(generator: ResourceGenerator, proxy: Proxy, names: NameSet | undefined): ResourceSet;
  /**
   * The same with pauses. The result belongs to the snapshot at the first step, even if the snapshot changes in a
   * pause.
   */
  prepareResources(generator: ResourceGenerator, proxy: Proxy, names: NameSet | undefined): Work<ResourceSet>;
  /** The findings of the generators for the connected proxies. */
  findings(): readonly Finding[];
  /** Number of parts that were generated since the start. Equal scopes share one. */
  readonly generations: number;
}

/** Results of one type, by key. */
interface Results {
  readonly parts: PartMemory;
  /** By scopes and names. Kept only while a proxy has them, because every subscription may make another one. */
  readonly sets: WeakMemory<ResourceSet>;
  /** Named sets that are being made, by the same keys. Proxies with equal scope and names share the work. */
  readonly pending: WeakMemory<SharedWork<ResourceSet>>;
  /** Findings of named sets, by name. Sets that are joined from parts have none. */
  readonly findings: WeakMap<ResourceSet, NamedFindings>;
}

/** The results of one type. */
interface TypeCache {
  readonly generator: ResourceGenerator;
  current: Results;
  /** Results of the last snapshot, to recognise resources that did not change. */
  previous: Results;
  /** The hosts that changed after it. */
  changed: ChangedHosts;
  readonly hosts: HostIndex;
}

export function createResourceCache(initial: PushContext): ResourceCache {
  const types = new Map<ResourceGenerator, TypeCache>();
  let context = initial;
  let generations = 0;

  const typeCache = (generator: ResourceGenerator): TypeCache => {
    let cache = types.get(generator);
    if (cache === undefined) {
      const hosts = createHostIndex();
      cache = { generator, current: noResults(), previous: noResults(), changed: 'everything', hosts };
      types.set(generator, cache);
    }
    return cache;
  };

  /** @param names the resources that an on-demand proxy asks for; undefined for the whole parts */
  const generateParts = (cache: TypeCache, generator: WildcardGenerator, proxy: Proxy, names: NameSet | undefined) => {
    const sets: ResourceSet[] = [];
    let key = '';
    for (const part of generator.parts) {
      const scope = part.scope(context, proxy);
      if (scope === undefined) continue;
      const partKey = `${part.name}\n${scope.key}`;
      let entry = cache.current.parts.get(partKey);
      if (entry === undefined) {
        generations++;
        const { resources, findings } = part.generate(context, scope);
        entry = { set: nextResourceSet(cache.previous.parts.get(partKey)?.set, resources), findings };
        cache.current.parts.keep(partKey, entry);
      }
      const needed = names && part.neededNames?.(context, proxy);
      if (names === undefined || needed === undefined) {
        key += `${partKey}\n`;
        sets.push(entry.set);
        continue;
      }
      const named = namedParts(cache, partKey, entry.set, needed, names);
      key += `${named.key}\n`;
      sets.push(...named.sets);
    }
    return { key, sets };
  };

  /**
   * Two parts of a part that a proxy learns on demand: the resources that it needs from the start, which proxies of one
   * scope share, and those that it has asked for.
   */
  const namedParts = (
    { current, previous }: TypeCache,
    partKey: string,
    whole: ResourceSet,
    needed: readonly string[],
    names: NameSet,
  ) => {
    const start = needed.join();
    const asked = names.names.filter((name) => !needed.includes(name));
    const choices: readonly (readonly [key: string, names: readonly string[]])[] = [
      [`${partKey}\nneeded ${start}`, needed],
      [`${partKey}\nasked ${start}\n${names.id}`, asked],
    ];
    const sets = choices.map(
      ([key, chosen]) =>
        current.sets.get(key) ?? current.sets.keep(key, nextResourceSet(previous.sets.get(key), pick(whole, chosen))),
    );
    return { key: choices.map(([key]) => key).join('\n'), sets };
  };

  const wildcardResources = (generator: WildcardGenerator, proxy: Proxy, names: NameSet | undefined): ResourceSet => {
    const cache = typeCache(generator);
    const isAll = names === undefined || hasName(names, WILDCARD);
    const { key: scopes, sets } = generateParts(cache, generator, proxy, isAll ? (names ?? NO_NAMES) : undefined);
    const key = `${scopes}${isAll ? WILDCARD : names.id}`;
    const known = cache.current.sets.get(key);
    if (known !== undefined) return known;
    const previous = cache.previous.sets.get(key);
    const set = isAll
      ? nextJoinedSet(previous, sets)
      : nextResourceSet(previous, onlyNamed(joinResourceSets(sets).resources, names));
    return cache.current.sets.keep(key, set);
  };

  /** Reads the snapshot before its first pause. A proxy on demand may ask for a hundred thousand groups. */
  const groupedResources = function* (generator: GroupedGenerator, proxy: Proxy, groups: NameSet): Work<ResourceSet> {
    const cache = typeCache(generator);
    const { current, previous } = cache;
    const snapshot = context;
    const scope = generator.scope(snapshot, proxy);
    const key = [scope.key, ...groups.names].join('\n');
    const known = current.sets.get(key);
    if (known !== undefined) return known;
    const sets: ResourceSet[] = [];
    for (const [index, group] of groups.names.entries()) {
      if (index > 0 && index % GROUPS_AT_ONCE === 0) yield;
      const partKey = `${group}\n${scope.key}`;
      const made = current.parts.get(partKey)?.set;
      if (made !== undefined) {
        sets.push(made);
        continue;
      }
      generations++;
      const resources = generator.generate(snapshot, scope, group);
      if (resources.length === 0) continue;
      const set = nextResourceSet(previous.parts.get(partKey)?.set, resources);
      current.parts.keep(partKey, { set, findings: [] });
      sets.push(set);
    }
    if (sets.length === 0) return EMPTY_RESOURCE_SET;
    const parts = joinSingle(current, previous, key, sets);
    return current.sets.keep(key, nextJoinedSet(previous.sets.get(key), parts));
  };

  /**
   * Joins the groups of one resource into one part: a proxy on demand may have thousands of them. It may also ask for the
   * resource that stands for no other; the one that it asked for then counts, because it comes last.
   */
  const joinSingle = (current: Results, previous: Results, setKey: string, sets: readonly ResourceSet[]) => {
    const single = sets.filter(({ resources }) => resources.length === 1);
    if (single.length < 2) return sets;
    const byName = new Map(single.flatMap(({ resources }) => resources).map((resource) => [resource.name, resource]));
    const key = `single\n${setKey}`;
    const joined = current.sets.keep(key, nextResourceSet(previous.sets.get(key), [...byName.values()]));
    return [...sets.filter(({ resources }) => resources.length !== 1), joined];
  };

  const namedResources = function* (generator: NamedGenerator, proxy: Proxy, names: NameSet): Work<ResourceSet> {
    const cache = typeCache(generator);
    const scope = generator.scope(context, proxy);
    const key = `${scope.key}\n${names.id}`;
    const { current } = cache;
    const known = current.sets.get(key);
    if (known !== undefined) return known;
    const pending =
      current.pending.get(key) ??
      current.pending.keep(key, shareWork(makeNamed(cache, { context, generator, scope, names }, key)));
    return yield* pending.follow();
  };

  /** Reads the cache before its first pause, so the result belongs to the snapshot at that time. */
  const makeNamed = function* (cache: TypeCache, work: NamedWork, key: string): Work<ResourceSet> {
    generations++;
    const { current, previous, changed, hosts } = cache;
    const before = recall(previous, key);
    const { set, findings } =
      (yield* updateNamed(work, before, changed, hosts)) ?? (yield* generateNamed(work, before));
    current.findings.set(set, findings);
    return current.sets.keep(key, set);
  };

  const prepareResources: ResourceCache['prepareResources'] = function* (generator, proxy, names) {
    switch (generator.mode) {
      case 'wildcard':
        return wildcardResources(generator, proxy, names);
      case 'grouped':
        return yield* groupedResources(generator, proxy, names ?? NO_NAMES);
      case 'named':
        return yield* namedResources(generator, proxy, names ?? NO_NAMES);
    }
  };

  return {
    advance: (next, notice) => {
      context = next;
      for (const cache of types.values()) {
        const { generator, current } = cache;
        if (!notice.concerns(generator, 'sidecar') && !notice.concerns(generator, 'router')) continue;
        const changed = changedHosts(notice.request);
        // If no proxy used the current results, the ones before them are still the results to compare with.
        if (current.sets.size > 0) {
          cache.previous = current;
          cache.changed = changed;
        } else {
          cache.changed = mergeChangedHosts(cache.changed, changed);
        }
        cache.current = noResults();
      }
    },
    resourcesFor: (generator, proxy, names) => finish(prepareResources(generator, proxy, names)),
    prepareResources,
    findings: () => {
      const all: Finding[] = [];
      for (const { current } of types.values()) {
        for (const entry of current.parts.values()) all.push(...entry.findings);
        for (const set of current.sets.values()) all.push(...[...(current.findings.get(set)?.values() ?? [])].flat());
      }
      return all;
    },
    get generations() {
      return generations;
    },
  };
}

/** Groups that are made before the work pauses. */
const GROUPS_AT_ONCE = 64;
const NO_NAMES: NameSet = { id: '', names: [], characters: 0 };

function noResults(): Results {
  return { parts: createPartMemory(), sets: createWeakMemory(), pending: createWeakMemory(), findings: new WeakMap() };
}

function recall({ sets, findings }: Results, key: string): NamedResult | undefined {
  const set = sets.get(key);
  const found = set === undefined ? undefined : findings.get(set);
  return set === undefined || found === undefined ? undefined : { set, findings: found };
}

function nextJoinedSet(previous: ResourceSet | undefined, parts: readonly ResourceSet[]): ResourceSet {
  const isSame =
    previous !== undefined &&
    previous.parts.length === parts.length &&
    previous.parts.every((part, index) => part === parts[index]);
  return isSame ? previous : joinResourceSets(parts);
}

function pick(set: ResourceSet, names: readonly string[]): readonly EncodedResource[] {
  return names.flatMap((name) => resourceOf(set, name) ?? []);
}

function onlyNamed(resources: readonly EncodedResource[], names: NameSet): readonly EncodedResource[] {
  // Both lists are sorted, and there may be far more names than resources.
  let index = 0;
  return resources.filter(({ name }) => {
    while (index < names.names.length && (names.names[index] as string) < name) index++;
    return names.names[index] === name;
  });
}
