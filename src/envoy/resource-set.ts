import type { EncodedResource } from './encoded-resource.js';
import { contentVersion } from './message-encoder.js';

/**
 * Resources of one type that a group of proxies should have. Immutable and shared: streams hold a reference
 * to the set they were sent, and comparing two sets compares two states.
 */
export interface ResourceSet {
  /** Sorted by name, each name once. */
  readonly resources: readonly EncodedResource[];
  /** Equal hashes have equal content. */
  readonly hash: string;
  /**
   * The sets that it was put together from, for example what all proxies of a namespace share and what is the
   * workload's own; a set that was made in one piece is its own only part.
   */
  readonly parts: readonly ResourceSet[];
  /**
   * All entries, one after another in a few pieces: the body of a response. Made when needed, and kept only while
   * somebody holds it: proxies hold the set for as long as they have it, and most never need its bytes again.
   */
  body(): readonly Buffer[];
}

/** What takes a client from one set to another. */
export interface ResourceDiff {
  /** New and changed resources, sorted by name. */
  readonly changed: readonly EncodedResource[];
  /** Names that are gone, sorted. */
  readonly removed: readonly string[];
}

/** @param resources sorted by name, each name once. */
export function createResourceSet(resources: readonly EncodedResource[]): ResourceSet {
  let identity = '';
  for (const resource of resources) identity += `${resource.name}\n${resource.version}\n`;
  let body: WeakRef<Buffer> | undefined;
  const set: ResourceSet = {
    resources,
    hash: contentVersion(Buffer.from(identity)),
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
  };
  return set;
}

export const EMPTY_RESOURCE_SET: ResourceSet = createResourceSet([]);

/** Builds a set, or returns the previous one when it has the very same resources. */
export function nextResourceSet(previous: ResourceSet | undefined, resources: readonly EncodedResource[]): ResourceSet {
  if (previous !== undefined && sameResources(previous.resources, resources)) return previous;
  return createResourceSet(resources);
}

/** Puts sets together that have no name in common; nothing is copied before somebody asks for it. */
export function joinResourceSets(parts: readonly ResourceSet[]): ResourceSet {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  let resources: readonly EncodedResource[] | undefined;
  return {
    get resources() {
      resources ??= parts.flatMap((part) => part.resources).sort(compareNames);
      return resources;
    },
    hash: contentVersion(Buffer.from(parts.map(({ hash }) => hash).join())),
    parts,
    body: () => parts.flatMap((part) => part.body()),
  };
}

export function diffResourceSets(from: ResourceSet, to: ResourceSet): ResourceDiff {
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

function sameResources(first: readonly EncodedResource[], second: readonly EncodedResource[]): boolean {
  if (first.length !== second.length) return false;
  for (let index = 0; index < first.length; index++) {
    const [a, b] = [first[index], second[index]];
    if (a !== b && (a?.name !== b?.name || a?.version !== b?.version)) return false;
  }
  return true;
}
