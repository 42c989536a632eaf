import { type SharedSteps, shareSteps, stepOf } from '../base/steps.js';
import type { EncodedResource } from '../envoy/encoded-resource.js';
import {
  EMPTY_RESOURCE_SET,
  joinResourceSets,
  nextResourceSet,
  type ResourceSet,
  resourceOf,
} from '../envoy/resource-set.js';
import type {
  Generated,
  GroupedGenerator,
  NamedGenerator,
  ResourceGenerator,
  ResourcePart,
  Scope,
  WildcardGenerator,
} from '../generators/generator.js';
import type { Finding } from '../model/finding.js';
import type { Proxy } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import { type ChangedHosts, changedHosts, createHostIndex, type HostIndex, mergeChangedHosts } from './host-index.js';
import { hasName, type NameSet, WILDCARD } from './name-set.js';
import { generateNamed, type NamedFindings, type NamedResult, type NamedWork, updateNamed } from './named-resources.js';
import { createPartMemory, type GeneratedPart, type PartMemory } from './part-memory.js';
import type { PushNotice } from './push-notice.js';
import { createWeakMemory, type WeakMemory } from './weak-memory.js';
import { finish, type Work } from './work.js';

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
  /** Parts that are being made in steps, by the same keys as `parts`. */
  readonly pendingParts: WeakMemory<SharedSteps<GeneratedPart>>;
  /** By scopes and names. Kept only while a proxy has them, because every subscription may make another one. */
  readonly sets: WeakMemory<ResourceSet>;
  /** Named sets that are being made, by the same keys. Proxies with equal scope and names share the work. */
  readonly pending: WeakMemory<SharedSteps<ResourceSet>>;
  /** Findings of named sets, by name. Sets that are joined from parts have none. */
  readonly findings: WeakMap<ResourceSet, NamedFindings>;
}

/** The groups to make. */
interface GroupedWork {
  readonly snapshot: PushContext;
  readonly generator: GroupedGenerator;
  readonly scope: Scope;
  readonly groups: NameSet;
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

  /**
   * @param names the resources that an on-demand proxy asks for; undefined for the whole parts
   * @param isSliced whether parts that take long are made with pauses
   * @returns undefined if the snapshot has changed in a pause
   */
  const generateParts = function* (
    generator: WildcardGenerator,
    proxy: Proxy,
    names: NameSet | undefined,
    isSliced: boolean,
  ): Work<{ readonly key: string; readonly sets: readonly ResourceSet[] } | undefined> {
    const cache = typeCache(generator);
    const snapshot = context;
    const sets: ResourceSet[] = [];
    let key = '';
    for (const part of generator.parts) {
      const scope = part.scope(snapshot, proxy);
      if (scope === undefined) continue;
      const partKey = `${part.name}\n${scope.key}`;
      const entry =
        cache.current.parts.get(partKey) ??
        (isSliced && part.generateInSteps !== undefined
          ? yield* longPart(cache, snapshot, part, scope, partKey)
          : keepPart(cache, partKey, part.generate(snapshot, scope)));
      if (context !== snapshot) return undefined;
      const needed = names && part.neededNames?.(snapshot, proxy);
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

  const keepPart = (
    { current, previous }: Pick<TypeCache, 'current' | 'previous'>,
    key: string,
    { resources, findings }: Generated,
  ): GeneratedPart => {
    generations++;
    const entry = { set: nextResourceSet(previous.parts.get(key)?.set, resources), findings };
    current.parts.keep(key, entry);
    return entry;
  };

  /** Proxies of one scope make a part together. */
  const longPart = function* (
    { current, previous }: TypeCache,
    snapshot: PushContext,
    part: ResourcePart,
    scope: Scope,
    key: string,
  ): Work<GeneratedPart> {
    const make = function* (): Work<GeneratedPart> {
      const generated = yield* part.generateInSteps?.(snapshot, scope) ?? stepOf(() => part.generate(snapshot, scope));
      return keepPart({ current, previous }, key, generated);
    };
    const pending = current.pendingParts.get(key) ?? current.pendingParts.keep(key, shareSteps(make()));
    return yield* pending.follow();
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

  /**
   * The set is one of the newest snapshot, also after pauses: other types of the proxy may be, and must not name clusters
   * that it lacks. When the snapshot has changed in a pause, the generator still knows most of the resources.
   */
  const wildcardResources = function* (
    generator: WildcardGenerator,
    proxy: Proxy,
    names: NameSet | undefined,
  ): Work<ResourceSet> {
    const isAll = names === undefined || hasName(names, WILDCARD);
    const wanted = isAll ? (names ?? NO_NAMES) : undefined;
    for (let round = 0; ; round++) {
      const made = yield* generateParts(generator, proxy, wanted, round < MAX_ROUNDS);
      if (made !== undefined) return joinParts(typeCache(generator), made.key, made.sets, isAll ? undefined : names);
    }
  };

  /** @param names undefined for all resources of the parts */
  const joinParts = (
    { current, previous }: TypeCache,
    scopes: string,
    sets: readonly ResourceSet[],
    names: NameSet | undefined,
  ): ResourceSet => {
    const key = `${scopes}${names === undefined ? WILDCARD : names.id}`;
    const known = current.sets.get(key);
    if (known !== undefined) return known;
    const before = previous.sets.get(key);
    const set =
      names === undefined
        ? nextJoinedSet(before, sets)
        : nextResourceSet(before, onlyNamed(joinResourceSets(sets).resources, names));
    return current.sets.keep(key, set);
  };

  /** Reads the snapshot before its first pause. A proxy on demand may ask for a hundred thousand groups. */
  const groupedResources = function* (generator: GroupedGenerator, proxy: Proxy, groups: NameSet): Work<ResourceSet> {
    const cache = typeCache(generator);
    const { current, previous } = cache;
    const snapshot = context;
    const scope = generator.scope(snapshot, proxy);
    const key = groupedKey(scope, groups);
    const known = current.sets.get(key);
    if (known !== undefined) return known;
    const pending =
      current.pending.get(key) ??
      current.pending.keep(
        key,
        shareSteps(makeGroups({ current, previous }, { snapshot, generator, scope, groups }, key)),
      );
    return yield* pending.follow();
  };

  const makeGroups = function* (
    { current, previous }: Pick<TypeCache, 'current' | 'previous'>,
    { snapshot, generator, scope, groups }: GroupedWork,
    key: string,
  ): Work<ResourceSet> {
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
      const steps = generator.generateInSteps?.(snapshot, scope, group);
      const resources = steps === undefined ? generator.generate(snapshot, scope, group) : yield* steps;
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
      current.pending.keep(key, shareSteps(makeNamed(cache, { context, generator, scope, names }, key)));
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
        return yield* wildcardResources(generator, proxy, names);
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

/** A group may have line breaks, because proxies name it. The lengths tell it from several groups. */
function groupedKey(scope: Scope, { names }: NameSet): string {
  return [scope.key, names.map(({ length }) => length).join(), ...names].join('\n');
}

/** How often parts are made with pauses before they are made at once: changes may come faster than they are made. */
const MAX_ROUNDS = 3;
/** Groups that are made before the work pauses. */
const GROUPS_AT_ONCE = 64;
const NO_NAMES: NameSet = { id: '', names: [], characters: 0 };

function noResults(): Results {
  return {
    parts: createPartMemory(),
    pendingParts: createWeakMemory(),
    sets: createWeakMemory(),
    pending: createWeakMemory(),
    findings: new WeakMap(),
  };
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
