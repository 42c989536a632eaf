import type { EncodedResource } from './encoded-resource.js';
import { compareNames, createResourceSet, type ResourceSet } from './resource-set.js';

const NO_BYTES = Buffer.alloc(0);
/** No resource has this version, so a difference always includes a resource that has it. */
export const UNKNOWN_VERSION = '';

/** A resource that a proxy has, known by name and version only. It is never sent. */
export class HeldVersion implements EncodedResource {
  readonly name: string;
  readonly version: string;

  constructor(name: string, version: string) {
    this.name = name;
    this.version = version;
  }

  get entry(): Buffer {
    return NO_BYTES;
  }
}

/**
 * The resources of a proxy that has one of two sets, or some resources of each: it rejected the second response, or
 * did not answer it. A difference to any other set has every resource that may be missing or stale at the proxy.
 */
export function possibleResources(first: ResourceSet, second: ResourceSet): ResourceSet {
  if (first === second) return first;
  const firsts = new Map(first.resources.map((resource) => [resource.name, resource]));
  const possible: EncodedResource[] = [];
  for (const resource of second.resources) {
    const { name, version } = resource;
    const isSame = firsts.get(name)?.version === version;
    firsts.delete(name);
    possible.push(isSame ? resource : new HeldVersion(name, UNKNOWN_VERSION));
  }
  for (const name of firsts.keys()) possible.push(new HeldVersion(name, UNKNOWN_VERSION));
  return createResourceSet(possible.sort(compareNames));
}
