import { type SharedSteps, shareSteps } from '../base/steps.js';
import type { EncodedResource } from './encoded-resource.js';
import { contentVersion } from './message-encoder.js';

/**
 * Resources of one type that a group of proxies should have. Immutable and shared: streams hold a reference
 * to the set they were sent, and comparing two sets compares two states.
 */
export interface ResourceSet {
  /** Sorted by name, each name once. */
  readonly resources: readonly EncodedResource[];
  /**
   * Equal hashes have equal content. Computed on demand, because the hash of thousands of assignments is rarely needed.
   */
  readonly hash: string;
  /**
   * The sets that it is joined from, for example the clusters that all proxies of a namespace share, and the workload's
   * own. A set that is not joined is its own only part.
   */
  readonly parts: readonly ResourceSet[];
  /**
   * The set that this one was made from by replacing some resources, and their difference, which then needs no
   * comparison.
   */
  readonly step?: { readonly from: WeakRef<ResourceSet>; readonly diff: ResourceDiff };
  /**
   * All entries in a few pieces: the body of a response. Made on demand, and kept only while it is referenced: sessions
   * keep the set as long as the proxy has it, and most do not need its bytes again.
   */
  body(): readonly Buffer[];
  /** The same with pauses. While the result is referenced, `body` returns it too. */
  prepareBody(): Generator<void, readonly Buffer[], void>;
}

/** The changes from one set to another. */
export interface ResourceDiff {
  /** New and changed resources, sorted by name. */
  readonly changed: readonly EncodedResource[];
  /** Names that are gone, sorted. */
  readonly removed: readonly string[];
  /** The differences that it is joined from; proxies share some of them. Only of a difference to a joined set. */
  readonly parts?: readonly ResourceDiff[];
}

/** Joins differences that have no name in common. Lists are copied on demand only. */
export function joinDiffs(parts: readonly ResourceDiff[]): ResourceDiff {
  return {
    get changed() {
      return parts.flatMap(({ changed }) => changed).sort(compareNames);
    },
    get removed() {
      return parts.flatMap(({ removed }) => removed).sort();
    },
    parts,
  };
}

export function isEmptyDiff(diff: ResourceDiff): boolean {
  return (diff.parts ?? [diff]).every(({ changed, removed }) => changed.length === 0 && removed.length === 0);
}

/** @param resources sorted by name, each name once. */
export function createResourceSet(
  resources: readonly EncodedResource[],
  step?: NonNullable<ResourceSet['step']>,
): ResourceSet {
  let hash: string | undefined;
  let body: WeakRef<Buffer> | undefined;
  let joining: SharedSteps<Buffer> | undefined;
  const set: ResourceSet = {
    resources,
    ...(step === undefined ? {} : { step }),
    get hash() {
      hash ??= hashOf(resources);
      return hash;
    },
    get parts() {
      return [set];
    },
    body: () => {
      const known = body?.deref();
      if (known !== undefined) return [known];
      const made = Buffer.concat(resources.map(({ entry }) => entry));
      body = new WeakRef(made);
      return [made];
    },
    *prepareBody() {
      const known = body?.deref();
      if (known !== undefined) return [known];
      // Streams of one scope join it together.
      joining ??= shareSteps(concatEntries(resources));
      const mine = joining;
      try {
        const made = yield* mine.follow();
        body = new WeakRef(made);
        return [made];
      } finally {
        if (joining === mine) joining = undefined;
      }
    },
  };
  return set;
}

/** Entries that are joined before the work pauses. */
const JOINED_AT_ONCE = 512;

/** Joins the entries of the resources, with pauses. */
export function* concatEntries(resources: readonly EncodedResource[]): Generator<void, Buffer, void> {
  const pieces: Buffer[] = [];
  for (let start = 0; start < resources.length; start += JOINED_AT_ONCE) {
    pieces.push(Buffer.concat(resources.slice(start, start + JOINED_AT_ONCE).map(({ entry }) => entry)));
    if (resources.length > JOINED_AT_ONCE) yield;
  }
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

function hashOf(resources: readonly EncodedResource[]): string {
  let identity = '';
  for (const { name, version } of resources) identity += `${name}\n${version}\n`;
  return contentVersion(Buffer.from(identity));
}

export const EMPTY_RESOURCE_SET: ResourceSet = createResourceSet([]);

/**
 * Builds a set, or returns the previous one if it has the same resources. Sorts them: generators return resources in
 * any order.
 *
 * @param unsorted each name once
 */
export function nextResourceSet(previous: ResourceSet | undefined, unsorted: readonly EncodedResource[]): ResourceSet {
  const resources = unsorted.toSorted(compareNames);
  if (previous !== undefined && sameResources(previous.resources, resources)) return previous;
  return createResourceSet(resources);
}

/**
 * Replaces some resources of a set. Returns the same set if no resource differs, and undefined if the set has no
 * resource of one of the names. The cost is a copy of the list and the replaced resources.
 */
export function replaceResources(
  previous: ResourceSet,
  replacements: readonly EncodedResource[],
): ResourceSet | undefined {
  const changed = new Map<number, EncodedResource>();
  for (const replacement of replacements) {
    const index = indexOfName(previous.resources, replacement.name);
    if (index === undefined) return undefined;
    if (previous.resources[index]?.version !== replacement.version) changed.set(index, replacement);
  }
  if (changed.size === 0) return previous;
  const resources = [...previous.resources];
  for (const [index, replacement] of changed) resources[index] = replacement;
  const diff = { changed: [...changed.values()].sort(compareNames), removed: [] };
  return createResourceSet(resources, { from: new WeakRef(previous), diff });
}

/** Joins sets that have no name in common. Lists are copied on demand only. */
export function joinResourceSets(parts: readonly ResourceSet[]): ResourceSet {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  let resources: readonly EncodedResource[] | undefined;
  let hash: string | undefined;
  return {
    get resources() {
      resources ??= parts.flatMap((part) => part.resources).sort(compareNames);
      return resources;
    },
    get hash() {
      hash ??= contentVersion(Buffer.from(parts.map((part) => part.hash).join()));
      return hash;
    },
    parts,
    body: () => parts.flatMap((part) => part.body()),
    *prepareBody() {
      const bodies: Buffer[] = [];
      for (const part of parts) bodies.push(...(yield* part.prepareBody()));
      return bodies;
    },
  };
}

/** Whether a set has no resources. The list of a joined set is not made for it. */
export function isEmptySet({ parts }: ResourceSet): boolean {
  return parts.every(({ resources }) => resources.length === 0);
}

/** Whether two sets have equal resources in equal parts. Parts that both share are not looked at. */
export function haveEqualResources(first: ResourceSet, second: ResourceSet | undefined): boolean {
  if (first === second) return true;
  if (first.parts.length !== second?.parts.length) return false;
  return first.parts.every((part, index) => {
    const other = second.parts[index];
    return part === other || part.hash === other?.hash;
  });
}

export function diffResourceSets(from: ResourceSet, to: ResourceSet): ResourceDiff {
  if (to.step?.from.deref() === from) return to.step.diff;
  const changed: EncodedResource[] = [];
  const removed: string[] = [];
  let index = 0;
  for (const resource of to.resources) {
    let old = from.resources[index];
    while (old !== undefined && old.name < resource.name) {
      removed.push(old.name);
      old = from.resources[++index];
    }
    if (old?.name === resource.name) {
      index++;
      if (old === resource || old.version === resource.version) continue;
    }
    changed.push(resource);
  }
  for (; index < from.resources.length; index++) removed.push((from.resources[index] as EncodedResource).name);
  return { changed, removed };
}

/** Orders resource names by code unit, the order that every list of resources has. */
export function compareNames(first: { readonly name: string }, second: { readonly name: string }): number {
  return first.name < second.name ? -1 : first.name > second.name ? 1 : 0;
}

/** The resource of a name. The lists of joined sets are not copied for it. */
export function resourceOf({ parts }: ResourceSet, name: string): EncodedResource | undefined {
  for (const { resources } of parts) {
    const index = indexOfName(resources, name);
    if (index !== undefined) return resources[index];
  }
  return undefined;
}

export function hasResource(set: ResourceSet, name: string): boolean {
  return resourceOf(set, name) !== undefined;
}

function indexOfName(sorted: readonly EncodedResource[], name: string): number | undefined {
  let [low, high] = [0, sorted.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = (sorted[middle] as EncodedResource).name;
    if (found === name) return middle;
    if (found < name) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

function sameResources(first: readonly EncodedResource[], second: readonly EncodedResource[]): boolean {
  if (first.length !== second.length) return false;
  for (let index = 0; index < first.length; index++) {
    const [a, b] = [first[index], second[index]];
    if (a !== b && (a?.name !== b?.name || a?.version !== b?.version)) return false;
  }
  return true;
}
