import type { EncodedResource } from '../envoy/encoded-resource.js';
import { diffResourceSets, EMPTY_RESOURCE_SET, type ResourceDiff, type ResourceSet } from '../envoy/resource-set.js';

/** What a response carries; the object itself stands for its content, so that streams can share its bytes. */
export interface Selection {
  readonly resources: readonly EncodedResource[];
}

/** Compares sets once, however many streams make the same step. */
export interface DiffCache {
  diff(from: ResourceSet | undefined, to: ResourceSet): ResourceDiff;
  /** What changed between two sets, plus everything of `to` that `again` names. */
  select(from: ResourceSet | undefined, to: ResourceSet, again: ResourceDiff | undefined): Selection;
}

export function createDiffCache(): DiffCache {
  const diffs = new WeakMap<ResourceSet, WeakMap<ResourceSet, ResourceDiff>>();
  const selections = new WeakMap<ResourceDiff, Map<ResourceDiff | undefined, Selection>>();

  const diff = (from: ResourceSet | undefined, to: ResourceSet): ResourceDiff =>
    remember(
      remember(diffs, to, () => new WeakMap()),
      from ?? EMPTY_RESOURCE_SET,
      () => diffResourceSets(from ?? EMPTY_RESOURCE_SET, to),
    );

  return {
    diff,
    select: (from, to, again) => {
      const step = diff(from, to);
      return remember(
        remember(selections, step, () => new Map()),
        again,
        () => {
          if (again === undefined || again.changed.length === 0) return { resources: step.changed };
          const names = new Set(again.changed.map((resource) => resource.name));
          for (const resource of step.changed) names.add(resource.name);
          return { resources: to.resources.filter((resource) => names.has(resource.name)) };
        },
      );
    },
  };
}

interface Memory<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

function remember<Key, Value>(memory: Memory<Key, Value>, key: Key, make: () => Value): Value {
  let value = memory.get(key);
  if (value === undefined) {
    value = make();
    memory.set(key, value);
  }
  return value;
}
