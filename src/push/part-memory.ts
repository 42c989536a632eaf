import { appendTo } from '../base/append-to.js';
import type { ResourceSet } from '../envoy/resource-set.js';
import type { Finding } from '../model/finding.js';
import { createWeakMemory } from './weak-memory.js';

/** The resources and findings of one part for one scope. */
export interface GeneratedPart {
  readonly set: ResourceSet;
  readonly findings: readonly Finding[];
}

/** Generated parts, by part and scope. */
export interface PartMemory {
  get(key: string): GeneratedPart | undefined;
  keep(key: string, part: GeneratedPart): void;
  values(): Iterable<GeneratedPart>;
}

export interface PartMemoryLimits {
  readonly parts: number;
  /** Resources of all parts together. */
  readonly resources: number;
}

/** A set keeps a reference of 8 bytes for each resource, and some resources belong to one part only. */
const LIMITS: PartMemoryLimits = { parts: 10_000, resources: 4_000_000 };

/**
 * Keeps the newest parts, and each older one only while a proxy has it. The number of scopes is not limited, because
 * they depend on the nodes of proxies, and a part of all services may be as large as the mesh.
 */
export function createPartMemory(limits: PartMemoryLimits = LIMITS): PartMemory {
  const newest = new Map<string, GeneratedPart>();
  let resources = 0;
  const held = createWeakMemory<GeneratedPart>();
  /** A part is kept as long as its set, which proxies hold. */
  const ofSet = new WeakMap<ResourceSet, GeneratedPart[]>();

  const forgetOldest = (): void => {
    for (const [key, { set }] of newest) {
      if (newest.size <= limits.parts && resources <= limits.resources) return;
      newest.delete(key);
      resources -= set.resources.length;
    }
  };

  return {
    get: (key) => newest.get(key) ?? held.get(key),
    keep: (key, part) => {
      appendTo(ofSet, part.set, part);
      held.keep(key, part);
      newest.set(key, part);
      resources += part.set.resources.length;
      forgetOldest();
    },
    values: () => held.values(),
  };
}
