import { addTo } from '../../base/set-map.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { type ResourceSet, resourceOf } from '../../envoy/resource-set.js';

/** Names of resources, by the id of a patch that changed them. */
export type PatchUses = Map<string, Set<string>>;

/** A response that a proxy rejected. */
export interface RejectedResponse {
  /** The resources that the proxy would have with it. */
  readonly set: ResourceSet;
  /** The resources that it accepted last; undefined if it accepted none. */
  readonly accepted: ResourceSet | undefined;
  /** The error of the proxy, of limited length. */
  readonly text: string;
}

/** The patches that may have caused a rejection. */
export interface BlamedPatches {
  /** The patches of the rejected resources. */
  readonly applied: PatchUses;
  /** Those that the accepted resources do not have. */
  readonly added: PatchUses;
}

/**
 * Finds the patches of the resources that the error names. Envoy names the rejected clusters and listeners. If the error
 * names no resource, any resource that is new to the proxy may be the rejected one.
 */
export function blamedPatches({ set, accepted, text }: RejectedResponse): BlamedPatches {
  const applied: PatchUses = new Map();
  const added: PatchUses = new Map();
  for (const { name, patches = [] } of rejectedResources(set, accepted, text)) {
    const before = accepted === undefined ? [] : (resourceOf(accepted, name)?.patches ?? []);
    for (const id of patches) {
      addTo(applied, id, name);
      if (!before.includes(id)) addTo(added, id, name);
    }
  }
  return { applied, added };
}

/** The uses that both have. */
export function commonUses(first: PatchUses, second: PatchUses): PatchUses {
  const common: PatchUses = new Map();
  for (const [id, names] of first) {
    for (const name of names) if (second.get(id)?.has(name) === true) addTo(common, id, name);
  }
  return common;
}

function rejectedResources(
  { resources }: ResourceSet,
  accepted: ResourceSet | undefined,
  text: string,
): readonly EncodedResource[] {
  const patched = resources.filter(({ patches }) => patches !== undefined);
  if (patched.length === 0) return patched;
  const named = resources.filter(({ name }) => isNamedIn(text, name));
  if (named.length > 0) return named;
  return patched.filter(({ name, version }) => {
    return accepted === undefined || resourceOf(accepted, name)?.version !== version;
  });
}

/** Whether the text has the whole name. A number names a route configuration, and occurs in any text. */
function isNamedIn(text: string, name: string): boolean {
  if (/^\d*$/.test(name)) return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    if (!/[\w.:|-]/.test(text.charAt(at - 1)) && !/^(?:[\w|-]|\.\w)/.test(text.slice(end, end + 2))) return true;
  }
  return false;
}
