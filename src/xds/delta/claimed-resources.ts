import { createHash } from 'node:crypto';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { HeldVersion } from '../../envoy/possible-resources.js';
import type { ResourceSet } from '../../envoy/resource-set.js';
import { compareNames, createResourceSet, EMPTY_RESOURCE_SET, joinResourceSets } from '../../envoy/resource-set.js';
import { sortNames } from '../../push/name-set.js';
import { createWeakMemory } from '../../push/weak-memory.js';
import type { Work } from '../../push/work.js';
import { entryEnd, hasVersion, readVersionEntry, type VersionEntry, versionOf } from './delta-request-wire.js';
import { createEntryIndex, type EntryIndex, viewOf } from './entry-index.js';

/** The resources that a reconnecting proxy says it has. */
export interface Claim {
  /** The `initial_resource_versions` fields of the request, as encoded, in any order. */
  readonly encoded: Uint8Array;
  /** The resources that the proxy should have. */
  readonly expected: ResourceSet;
  /** Whether the proxy subscribes to a name. */
  isAsked(name: string): boolean;
}

/** A claim, compared with the resources of one part of the expected set. */
interface ComparedPart {
  readonly part: ResourceSet;
  readonly entries: EntryIndex;
  /** The place of each name. Most claims have the expected versions, and need it for few names. */
  indexes(): ReadonlyMap<string, number>;
  /** 1 at the index of each resource that the proxy has in any version. */
  readonly told: Uint8Array;
  count: number;
  /** Versions that differ from those of the part, and names that the part does not have. */
  readonly others: Map<string, string>;
}

/**
 * Reads claims. Envoy encodes its versions in an order of its own, and every sidecar has some resources that no other
 * has, so each claim has other bytes. A claim is therefore compared entry by entry with what the proxy should have. An
 * entry in its expected version is recognised by its bytes, without reading its name. Of parts that are equal, the
 * result has the very objects, so that no difference has to be computed.
 */
export interface ClaimReader {
  /** @throws Error if the bytes are no `initial_resource_versions` */
  read(claim: Claim): Work<ResourceSet>;
}

/** Entries that are compared before the work pauses. */
const COMPARED_AT_ONCE = 2_048;

export function createClaimReader(): ClaimReader {
  const indexes = new WeakMap<ResourceSet, ReadonlyMap<string, number>>();
  const entryIndexes = new WeakMap<ResourceSet, EntryIndex>();
  const claimedParts = createWeakMemory<ResourceSet>();

  const indexOf = (part: ResourceSet): ReadonlyMap<string, number> => {
    const made = indexes.get(part) ?? new Map(part.resources.map(({ name }, index) => [name, index]));
    indexes.set(part, made);
    return made;
  };

  const compare = (part: ResourceSet): ComparedPart => {
    const entries = entryIndexes.get(part) ?? createEntryIndex(part.resources);
    entryIndexes.set(part, entries);
    const told = new Uint8Array(part.resources.length);
    return { part, entries, indexes: () => indexOf(part), told, count: 0, others: new Map() };
  };

  /** The resources that the proxy has of a part. Proxies whose resources differ in the same way share them. */
  const claimedPart = function* (compared: ComparedPart): Work<ResourceSet> {
    const { part, told, others, count } = compared;
    if (others.size === 0 && count === told.length) return part;
    const names = yield* sortNames([...others.keys()]);
    const key = yield* keyOf(compared, names);
    const known = claimedParts.get(key);
    if (known !== undefined) return known;
    const same = part.resources.filter(({ name }, index) => told[index] === 1 && !others.has(name));
    const held: EncodedResource[] = [];
    for (const [index, name] of names.entries()) {
      held.push(new HeldVersion(name, others.get(name) ?? ''));
      if (index % COMPARED_AT_ONCE === 0) yield;
    }
    return claimedParts.keep(key, createResourceSet(yield* mergeByName(same, held)));
  };

  return {
    *read({ encoded, expected, isAsked }) {
      const sets = expected.parts.length === 0 ? [EMPTY_RESOURCE_SET] : expected.parts;
      const parts = sets.map(compare);
      const claim = { encoded, view: viewOf(encoded), isAsked };
      // Most entries are found in the first part that is looked at.
      const largestFirst = parts.toSorted((one, other) => other.told.length - one.told.length);
      for (let start = 0; start < encoded.length; ) {
        start = tellEntries(largestFirst, claim, start);
        if (start < encoded.length) yield;
      }
      const claimed: ResourceSet[] = [];
      for (const part of parts) claimed.push(yield* claimedPart(part));
      return claimed.every((set, index) => set === expected.parts[index]) ? expected : joinResourceSets(claimed);
    },
  };
}

/** The bytes of a claim, and their view. */
interface ReadClaim extends Pick<Claim, 'encoded' | 'isAsked'> {
  readonly view: DataView;
}

/** Notes the resources of some entries. @returns where the next entry starts */
function tellEntries(parts: readonly ComparedPart[], claim: ReadClaim, firstStart: number): number {
  const { encoded, view, isAsked } = claim;
  let start = firstStart;
  for (let read = 0; read < COMPARED_AT_ONCE && start < encoded.length; read++) {
    const end = entryEnd(encoded, start);
    if (!tellExpected(parts, view, start, end)) {
      const entry = readVersionEntry(encoded, start, end);
      const isKnown = tell(parts, encoded, entry);
      if (!isKnown && isAsked(entry.name)) parts[0]?.others.set(entry.name, versionOf(encoded, entry));
    }
    start = end;
  }
  return start;
}

/** Notes that the proxy has a resource in the expected version. @returns whether the entry is one of such a resource */
function tellExpected(parts: readonly ComparedPart[], bytes: DataView, start: number, end: number): boolean {
  for (const compared of parts) {
    const index = compared.entries.find(bytes, start, end);
    if (index === -1) continue;
    if (compared.told[index] === 0) compared.count++;
    compared.told[index] = 1;
    if (compared.others.size > 0) compared.others.delete(compared.part.resources[index]?.name ?? '');
    return true;
  }
  return false;
}

/**
 * Notes that the proxy has a resource in some version. The last version of a name counts.
 *
 * @returns whether a part has the name
 */
function tell(parts: readonly ComparedPart[], encoded: Uint8Array, entry: VersionEntry): boolean {
  const { name } = entry;
  for (const compared of parts) {
    const index = compared.indexes().get(name);
    if (index === undefined) continue;
    const { part, told, others } = compared;
    if (told[index] === 0) compared.count++;
    told[index] = 1;
    const { version } = part.resources[index] as EncodedResource;
    if (!hasVersion(encoded, entry, version)) others.set(name, versionOf(encoded, entry));
    else if (others.size > 0) others.delete(name);
    return true;
  }
  return false;
}

function* keyOf({ part, told, others }: ComparedPart, names: readonly string[]): Work<string> {
  let missing = '';
  for (let index = told.indexOf(0); index !== -1; index = told.indexOf(0, index + 1)) missing += `${index}\n`;
  const digest = createHash('sha1').update(`${part.hash}\n${missing}`);
  for (let start = 0; start < names.length; start += COMPARED_AT_ONCE) {
    const some = names.slice(start, start + COMPARED_AT_ONCE).map((name) => `${name}\n${others.get(name)}\n`);
    digest.update(some.join(''));
    if (names.length > COMPARED_AT_ONCE) yield;
  }
  return digest.digest('base64');
}

/** Joins two lists in the order of their names: to sort what a peer tells would block the event loop. */
function* mergeByName(first: readonly EncodedResource[], second: readonly EncodedResource[]): Work<EncodedResource[]> {
  const merged: EncodedResource[] = [];
  let [a, b] = [0, 0];
  while (a < first.length || b < second.length) {
    const [left, right] = [first[a], second[b]];
    const isLeft = left !== undefined && (right === undefined || compareNames(left, right) <= 0);
    merged.push((isLeft ? left : right) as EncodedResource);
    if (isLeft) a++;
    else b++;
    if (merged.length % COMPARED_AT_ONCE === 0) yield;
  }
  return merged;
}
