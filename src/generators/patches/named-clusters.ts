import type { Patch } from '../../model/patches/envoy-patches.js';

/** The name of an outbound cluster in a text: alone, or in a list, an expression or a program. */
const CLUSTER_NAME = /\boutbound\|\d{1,5}\|[^|\s"'\\,]*\|[A-Za-z0-9*._-]+/g;

/**
 * The names of outbound clusters in the values of patches, each once. A filter that a patch adds calls its cluster
 * without asking for it, so that an on-demand proxy needs it from the start. Also finds clusters of routes, which Envoy
 * asks for: one cluster more does no harm.
 */
export function clustersInPatches(patches: readonly Patch[]): readonly string[] {
  const names = new Set<string>();
  for (const { patch } of patches) {
    for (const [name] of JSON.stringify(patch.value ?? null).matchAll(CLUSTER_NAME)) names.add(name);
  }
  return [...names];
}
