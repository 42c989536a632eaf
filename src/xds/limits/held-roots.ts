import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { LazyResource } from '../../envoy/lazy-resource.js';
import { HeldVersion } from '../../envoy/possible-resources.js';
import type { ResourceSet } from '../../envoy/resource-set.js';
import type { WireMessage } from '../../envoy/wire-message.js';
import type { EncodedNames } from '../../push/name-set.js';
import type { HeldObject } from './held-bytes.js';

/** A text in memory beside its characters, with its place in a list and in an index. */
const NAME_BYTES = 64;
/** A resource's place in a set, and the object of one that is encoded when it is sent. */
const RESOURCE_BYTES = 48;
/** An encoded resource beside its bytes. */
const ENCODED_BYTES = 200;
/** Larger sets are mostly shared: their resources are not counted one by one. */
const MAX_COUNTED_RESOURCES = 256;
/** A shorter piece of a message is not worth counting. */
const MIN_PIECE_BYTES = 4_096;

/** Stands for objects that no other stream has. */
export interface OwnBytes {
  readonly ownBytes: number;
}

/** An object that a stream keeps: a subscription by name, sent resources, a response being written, a request. */
export type HeldRoot = EncodedNames | ResourceSet | WireMessage | Uint8Array | OwnBytes;

/**
 * Finds the size of an object that a stream keeps, and of the parts that it shares with other streams.
 *
 * @param ofSet describes a set, and the sets that it is joined from
 */
export function describeHeld(root: HeldRoot, ofSet: DescribeSet = heldSet): readonly HeldObject[] {
  if (root instanceof Uint8Array) return [{ object: root, bytes: root.length }];
  if ('ownBytes' in root) return [{ object: root, bytes: root.ownBytes }];
  if ('pieces' in root) return heldMessage(root);
  return 'set' in root ? heldNames(root) : [ofSet(root)];
}

type DescribeSet = (set: ResourceSet) => HeldObject;

function heldNames({ bytes, set }: EncodedNames): HeldObject[] {
  const names = { object: set, bytes: set.characters + set.names.length * NAME_BYTES };
  return bytes === undefined ? [names] : [{ object: bytes, bytes: bytes.length }, names];
}

function heldSet(set: ResourceSet, ofPart: DescribeSet = heldSet): HeldObject {
  const { parts } = set;
  // A joined set makes its list of resources on demand only.
  if (parts.length !== 1 || parts[0] !== set)
    return { object: set, bytes: RESOURCE_BYTES, parts: () => parts.map((part) => ofPart(part)) };
  const bytes = set.resources.length * RESOURCE_BYTES + bytesOfVersions(set);
  return { object: set, bytes, parts: () => countedResources(set) };
}

/** The names and versions that a proxy told: no other stream has them. */
function bytesOfVersions({ resources }: ResourceSet): number {
  let bytes = 0;
  for (const each of resources) {
    if (each instanceof HeldVersion) bytes += each.name.length + each.version.length + 2 * NAME_BYTES;
  }
  return bytes;
}

/** Whether a message has a piece that is worth counting. */
export function isHeldMessage({ byteLength }: WireMessage): boolean {
  return byteLength >= MIN_PIECE_BYTES;
}

function heldMessage({ pieces }: WireMessage): HeldObject[] {
  return pieces
    .filter(({ length }) => length >= MIN_PIECE_BYTES)
    .map((piece) => ({ object: piece, bytes: piece.length }));
}

function* countedResources({ resources }: ResourceSet): Iterable<HeldObject> {
  if (resources.length > MAX_COUNTED_RESOURCES) return;
  for (const resource of resources) if (isKept(resource)) yield heldResource(resource);
}

function isKept(resource: EncodedResource): boolean {
  return !(resource instanceof LazyResource || resource instanceof HeldVersion);
}

function heldResource(resource: EncodedResource): HeldObject {
  return { object: resource, bytes: resource.entry.length + ENCODED_BYTES };
}

/** Describes each object once, however many streams keep it: a set may have a thousand resources. */
export function createHeldDescriptions(): (root: HeldRoot) => readonly HeldObject[] {
  const known = new WeakMap<HeldRoot, readonly HeldObject[]>();
  const describe = (root: HeldRoot): readonly HeldObject[] => {
    let described = known.get(root);
    if (described === undefined) {
      described = describeHeld(root, ofSet);
      known.set(root, described);
    }
    return described;
  };
  const sets = new WeakMap<ResourceSet, HeldObject>();
  const ofSet = (set: ResourceSet): HeldObject => {
    let described = sets.get(set);
    if (described === undefined) {
      described = heldSet(set, ofSet);
      sets.set(set, described);
    }
    return described;
  };
  return describe;
}
