import type { SharedSteps } from '../base/steps.js';
import { joinResourceSets, type ResourceSet } from '../envoy/resource-set.js';
import type { ResourceGenerator } from '../generators/generator.js';
import type { PushContext } from '../model/push-context.js';
import { type ChangedHosts, createHostIndex, type HostIndex, mergeChangedHosts } from './host-index.js';
import type { NamedFindings } from './named-resources.js';
import { createPartMemory, type GeneratedPart, type PartMemory } from './part-memory.js';
import { createWeakMemory, type WeakMemory } from './weak-memory.js';

/** The state of a ResourceCache: its snapshot, and the results of each type. */
export interface CacheState {
  context: PushContext;
  /** Number of parts that were generated since the start. */
  generations: number;
  readonly types: Map<ResourceGenerator, TypeCache>;
}

/** The results of one type. */
export interface TypeCache {
  readonly generator: ResourceGenerator;
  current: Results;
  /** Results of the last snapshot, to recognise resources that did not change. */
  previous: Results;
  /** The hosts that changed after it. */
  changed: ChangedHosts;
  readonly hosts: HostIndex;
}

/** The results to look up and to compare with. A computation that pauses keeps those of its snapshot. */
export type ResultPair = Pick<TypeCache, 'current' | 'previous'>;

/** Results of one type for one snapshot, by key. */
export interface Results {
  readonly parts: PartMemory;
  /** Parts that are being made in steps, by the same keys as `parts`. */
  readonly pendingParts: WeakMemory<SharedSteps<GeneratedPart>>;
  /** By scopes and names. Kept only while a proxy has them, because every subscription may make another one. */
  readonly sets: WeakMemory<ResourceSet>;
  /** Named and grouped sets that are being made, by the same keys. Proxies with equal scope and names share the work. */
  readonly pending: WeakMemory<SharedSteps<ResourceSet>>;
  /** Findings of named sets, by name. Sets that are joined from parts have none. */
  readonly findings: WeakMap<ResourceSet, NamedFindings>;
}

/** The cache of a type, which is created when a proxy first needs the type. */
export function typeCacheOf({ types }: CacheState, generator: ResourceGenerator): TypeCache {
  let cache = types.get(generator);
  if (cache === undefined) {
    const hosts = createHostIndex();
    cache = { generator, current: noResults(), previous: noResults(), changed: 'everything', hosts };
    types.set(generator, cache);
  }
  return cache;
}

/** Begins the results of a new snapshot, in which these hosts changed. */
export function advanceType(cache: TypeCache, changed: ChangedHosts): void {
  // If no proxy used the current results, the ones before them are still the results to compare with.
  if (cache.current.sets.size > 0) {
    cache.previous = cache.current;
    cache.changed = changed;
  } else {
    cache.changed = mergeChangedHosts(cache.changed, changed);
  }
  cache.current = noResults();
}

/** @returns `previous` if it has exactly these parts */
export function nextJoinedSet(previous: ResourceSet | undefined, parts: readonly ResourceSet[]): ResourceSet {
  const isSame =
    previous !== undefined &&
    previous.parts.length === parts.length &&
    previous.parts.every((part, index) => part === parts[index]);
  return isSame ? previous : joinResourceSets(parts);
}

function noResults(): Results {
  return {
    parts: createPartMemory(),
    pendingParts: createWeakMemory(),
    sets: createWeakMemory(),
    pending: createWeakMemory(),
    findings: new WeakMap(),
  };
}
