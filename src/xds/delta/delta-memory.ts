import { createStepsByObject } from '../../base/steps.js';
import { prepareDeltaBody } from '../../envoy/delta-response.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { HeldVersion, possibleResources, UNKNOWN_VERSION } from '../../envoy/possible-resources.js';
import {
  compareNames,
  createResourceSet,
  EMPTY_RESOURCE_SET,
  hasResource,
  joinResourceSets,
  type ResourceDiff,
  type ResourceSet,
  resourceOf,
} from '../../envoy/resource-set.js';
import { tableOfVirtualHost } from '../../envoy/virtual-host-names.js';
import { createNameChanges, type NameChanges, NO_NAMES } from '../../push/name-changes.js';
import { type EncodedNames, hasName, type NameSet, type NameSets } from '../../push/name-set.js';
import { createPairMemory } from '../../push/pair-memory.js';
import type { Work } from '../../push/work.js';
import { type ClaimReader, createClaimReader } from './claimed-resources.js';

/**
 * The states that delta streams share. Sidecars of equal scope have equal names and resources, so each state is made
 * and kept once, and a stream holds references only.
 */
export interface DeltaMemory {
  readonly names: NameChanges;
  /** The set in the form that a subscription keeps. */
  encoded(set: NameSet): EncodedNames;
  readonly claims: ClaimReader;
  namesOf(set: ResourceSet): NameSet;
  /** The resources without those that stand for unknown names. */
  existing(set: ResourceSet): ResourceSet;
  /** Stands for the resources of a proxy that has those names, and asks for everything again. */
  inUnknownVersions(set: ResourceSet): ResourceSet;
  /** Stands for the virtual hosts of a proxy that was sent these tables again: it may have lost those of the tables. */
  withoutTables(hosts: ResourceSet, tables: ResourceDiff): ResourceSet;
  /** The resources of a set with these names. */
  within(set: ResourceSet, names: NameSet): ResourceSet;
  /** The resources of `to` and, from `from`, those that `to` does not have. */
  withOld(from: ResourceSet, to: ResourceSet): ResourceSet;
  /** The resources of `to`; of names that are unknown in it, those of `from`. */
  withKnown(from: ResourceSet, to: ResourceSet): ResourceSet;
  withoutRemoved(diff: ResourceDiff): ResourceDiff;
  /** Encodes the content of a response, once while any stream writes it. */
  body(diff: ResourceDiff): Work<readonly Buffer[]>;
}

export function createDeltaMemory(nameSets: NameSets): DeltaMemory {
  const encodedNames = new WeakMap<NameSet, EncodedNames>();
  const namesOf = new WeakMap<ResourceSet, NameSet>();
  const existing = new WeakMap<ResourceSet, ResourceSet>();
  const inUnknownVersions = new WeakMap<ResourceSet, ResourceSet>();
  const parts = createPairMemory<ResourceSet, NameSet, ResourceSet>();
  const withoutTables = createPairMemory<ResourceSet, ResourceDiff, ResourceSet>();
  const withOld = createPairMemory<ResourceSet, ResourceSet, ResourceSet>();
  const withKnown = createPairMemory<ResourceSet, ResourceSet, ResourceSet>();
  const withoutRemoved = new WeakMap<ResourceDiff, ResourceDiff>();
  const bodies = new WeakMap<ResourceDiff, WeakRef<Buffer>>();

  const bodiesInWork = createStepsByObject<ResourceDiff, Buffer>();

  const bodyOf = function* (diff: ResourceDiff): Work<Buffer> {
    return bodies.get(diff)?.deref() ?? (yield* bodiesInWork.follow(diff, () => makeBody(diff)));
  };

  const makeBody = function* (diff: ResourceDiff): Work<Buffer> {
    const made = yield* prepareDeltaBody(diff.changed, diff.removed);
    bodies.set(diff, new WeakRef(made));
    return made;
  };

  const union = (from: ResourceSet, to: ResourceSet): ResourceSet => {
    const known = withOld.get(from, to);
    if (known !== undefined) return known;
    const old = from.resources.filter(({ name }) => !hasResource(to, name));
    if (old.length === 0) return to;
    return withOld.keep(from, to, createResourceSet([...to.resources, ...old].sort(compareNames)));
  };

  return {
    names: createNameChanges(nameSets),
    encoded: (set) => {
      const made = encodedNames.get(set) ?? { key: '', bytes: undefined, count: set.names.length, set };
      encodedNames.set(set, made);
      return made;
    },
    claims: createClaimReader(),
    namesOf: (set) => {
      const made = namesOf.get(set) ?? newNameSet(set);
      namesOf.set(set, made);
      return made;
    },
    existing: (set) => {
      let found = existing.get(set);
      if (found === undefined) {
        found = filtered(set, ({ isUnknown }) => isUnknown !== true);
        existing.set(set, found);
      }
      return found;
    },
    inUnknownVersions: (set) => {
      const made = inUnknownVersions.get(set) ?? possibleResources(EMPTY_RESOURCE_SET, set);
      inUnknownVersions.set(set, made);
      return made;
    },
    withoutTables: (hosts, tables) => {
      const known = withoutTables.get(hosts, tables);
      if (known !== undefined) return known;
      const names = new Set(tables.changed.map(({ name }) => name));
      const kept = hosts.resources.map((host) =>
        names.has(tableOfVirtualHost(host.name)) ? new HeldVersion(host.name, UNKNOWN_VERSION) : host,
      );
      return withoutTables.keep(hosts, tables, createResourceSet(kept));
    },
    within: (set, names) =>
      parts.get(set, names) ??
      parts.keep(
        set,
        names,
        filtered(set, ({ name }) => hasName(names, name)),
      ),
    withOld: (from, to) => {
      if (from.parts.length !== to.parts.length) return union(from, to);
      // Part by part, so that proxies that share a part also share its bytes.
      const joined = to.parts.map((part, index) => union(from.parts[index] ?? EMPTY_RESOURCE_SET, part));
      const hasMoved = joined.some((part, index) => part !== to.parts[index] && hasMovedName(from, to, index));
      return hasMoved ? union(from, to) : joinResourceSets(joined);
    },
    withKnown: (from, to) => {
      const known = withKnown.get(from, to);
      if (known !== undefined) return known;
      const resources = to.resources.map((resource) =>
        resource.isUnknown === true ? (resourceOf(from, resource.name) ?? resource) : resource,
      );
      return withKnown.keep(from, to, createResourceSet(resources));
    },
    withoutRemoved: (diff) => {
      if (diff.removed.length === 0) return diff;
      const made = withoutRemoved.get(diff) ?? { changed: diff.changed, removed: [] };
      withoutRemoved.set(diff, made);
      return made;
    },
    *body(diff) {
      const pieces: Buffer[] = [];
      for (const part of diff.parts ?? [diff]) pieces.push(yield* bodyOf(part));
      return pieces;
    },
  };
}

/** Whether a resource that left a part is in another part now. A joined set must have each name once. */
function hasMovedName(from: ResourceSet, to: ResourceSet, index: number): boolean {
  const [before, after] = [from.parts[index], to.parts[index]];
  if (before === undefined || after === undefined) return true;
  return before.resources.some(({ name }) => !hasResource(after, name) && hasResource(to, name));
}

/** The same set if every resource is kept. */
function filtered(set: ResourceSet, isKept: (resource: EncodedResource) => boolean): ResourceSet {
  return set.resources.every(isKept) ? set : createResourceSet(set.resources.filter(isKept));
}

function newNameSet({ resources }: ResourceSet): NameSet {
  return resources.length === 0 ? NO_NAMES : { id: '', names: resources.map(({ name }) => name), characters: 0 };
}
