import type { EncodedResource } from '../envoy/encoded-resource.js';
import {
  diffResourceSets,
  EMPTY_RESOURCE_SET,
  joinDiffs,
  type ResourceDiff,
  type ResourceSet,
} from '../envoy/resource-set.js';
import { deltaChange, joinChanged, type Repeated } from './delta-change.js';
import type { NameSet } from './name-set.js';

/** The resources of a response. The object itself stands for its content, so that streams can share its bytes. */
export interface Selection {
  readonly resources: readonly EncodedResource[];
}

/** Compares each pair of sets once, for all streams that go from one to the other. */
export interface DiffCache {
  diff(from: ResourceSet | undefined, to: ResourceSet): ResourceDiff;
  /** The resources that changed between two sets, and the resources of `to` that clusters of `again` wait for. */
  select(from: ResourceSet | undefined, to: ResourceSet, again: ResourceDiff | undefined): Selection;
  /** The content of the delta response that brings a proxy from one set to another. */
  change(from: ResourceSet, to: ResourceSet, repeated: Repeated): ResourceDiff;
  /** The changed resources of two responses in a row. */
  join(first: ResourceDiff, second: ResourceDiff): ResourceDiff;
}

export function createDiffCache(): DiffCache {
  const diffs = new WeakMap<ResourceSet, WeakMap<ResourceSet, ResourceDiff>>();
  const plain = new WeakMap<ResourceDiff, Selection>();
  /** By set: repeated resources are taken from it, and proxies with the same difference may have different sets. */
  const repeating = new WeakMap<ResourceSet, WeakMap<ResourceDiff, WeakMap<ResourceDiff, Selection>>>();
  /** By set, difference, the names asked for and the clusters that changed. */
  const repeatingChanges = new WeakMap<ResourceSet, RepeatingChanges>();
  const whole = new WeakMap<ResourceSet, ResourceDiff>();
  const joined = new WeakMap<ResourceDiff, WeakMap<ResourceDiff, ResourceDiff>>();

  const diffWhole = (from: ResourceSet, to: ResourceSet): ResourceDiff =>
    remember(
      remember(diffs, to, () => new WeakMap()),
      from,
      () => diffResourceSets(from, to),
    );

  const diff = (from: ResourceSet | undefined, to: ResourceSet): ResourceDiff => {
    if (from === undefined || from.parts.length !== to.parts.length) return diffWhole(from ?? EMPTY_RESOURCE_SET, to);
    // Proxies that share the changed part share the difference, even if their other parts differ.
    const changed = to.parts.flatMap((part, index) => (part === from.parts[index] ? [] : [index]));
    const [only, ...others] = changed;
    if (only === undefined) return NO_DIFFERENCE;
    const [before, after] = [from.parts[only], to.parts[only]];
    if (others.length > 0 || before === undefined || after === undefined) return diffWhole(from, to);
    return diffWhole(before, after);
  };

  /** The parts that proxies share are separate, so that they also share their bytes. */
  const everything = (to: ResourceSet): ResourceDiff =>
    remember(whole, to, () => joinDiffs(to.parts.map((part) => diffWhole(EMPTY_RESOURCE_SET, part))));

  return {
    diff,
    select: (from, to, again) => {
      const step = diff(from, to);
      if (again === undefined || again.changed.length === 0) {
        return remember(plain, step, () => ({ resources: step.changed }));
      }
      const ofSet = remember(repeating, to, () => new WeakMap());
      const ofAgain = remember(ofSet, again, () => new WeakMap());
      return remember(ofAgain, step, () => {
        const names = new Set(again.changed.map(({ name, assignment }) => assignment ?? name));
        for (const resource of step.changed) names.add(resource.name);
        return { resources: to.resources.filter((resource) => names.has(resource.name)) };
      });
    },
    change: (from, to, repeated) => {
      const step = from === EMPTY_RESOURCE_SET && to.parts.length > 1 ? everything(to) : diff(from, to);
      const { asked = NO_DIFFERENCE, warming = NO_DIFFERENCE } = repeated;
      if (asked === NO_DIFFERENCE && warming.changed.length === 0) return step;
      const ofSet = remember(repeatingChanges, to, () => new WeakMap());
      const ofStep = remember(ofSet, step, () => new WeakMap());
      const ofAsked = remember(ofStep, asked, () => new WeakMap());
      return remember(ofAsked, warming, () => deltaChange(step, to, repeated));
    },
    join: (first, second) =>
      remember(
        remember(joined, first, () => new WeakMap()),
        second,
        () => joinChanged(first, second),
      ),
  };
}

type RepeatingChanges = WeakMap<ResourceDiff, WeakMap<NameSet | ResourceDiff, WeakMap<ResourceDiff, ResourceDiff>>>;

/** Compares sets and keeps nothing: for resources that no cache may hold. */
export const UNCACHED_DIFFS: DiffCache = {
  diff: (from = EMPTY_RESOURCE_SET, to) => diffResourceSets(from, to),
  select: (from = EMPTY_RESOURCE_SET, to) => ({ resources: diffResourceSets(from, to).changed }),
  change: (from, to, repeated) => deltaChange(diffResourceSets(from, to), to, repeated),
  join: joinChanged,
};

const NO_DIFFERENCE: ResourceDiff = { changed: [], removed: [] };

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
