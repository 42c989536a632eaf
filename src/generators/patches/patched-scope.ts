import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { createMemo } from '../../model/memo.js';
import type { Patch } from '../../model/patches/envoy-patches.js';
import type { Scope } from '../generator.js';
import type { SelectedPatches } from './patch-selection.js';
import type { Patched, ResourcePatcher } from './resource-patcher.js';
import { createWithholding } from './withholding.js';

/** The scope of a generator with the patches of the proxy. */
export class PatchedScope implements Scope {
  readonly key: string;
  readonly base: Scope;
  readonly selected: SelectedPatches;

  constructor(base: Scope, selected: SelectedPatches) {
    this.key = `${base.key}\npatches ${selected.key}`;
    this.base = base;
    this.selected = selected;
  }
}

/** A patcher that remembers its results by the identity of resources and patches, and leaves withheld patches out. */
export interface ResourceMemo {
  patch(resource: EncodedResource, selected: SelectedPatches): Patched;
  /** Makes a resource from the value of an ADD. @param later the patches after it */
  add(patch: Patch, later: readonly Patch[], selected: SelectedPatches): Patched;
}

export function createResourceMemo(patcher: ResourcePatcher): ResourceMemo {
  const memo = createMemo<Patched>();
  const withholding = createWithholding();
  return {
    patch: (resource, { patches, withheld, place, placeKey }) => {
      const { kept, findings } = withholding.split(patches, withheld, resource.name);
      const patched = memo.of([kept, resource], placeKey, () => patcher.patch(resource, kept, place));
      return findings.length === 0 ? patched : { ...patched, findings: [...patched.findings, ...findings] };
    },
    add: (patch, later, { withheld, place }) => {
      const { kept, findings } = withholding.split([patch, ...later], withheld, addedName(patch));
      if (kept[0] !== patch) return { resource: undefined, findings };
      const patched = patcher.add(patch, kept.slice(1), place);
      return findings.length === 0 ? patched : { ...patched, findings: [...patched.findings, ...findings] };
    },
  };
}

/** The name of the resource that an ADD makes. */
function addedName({ patch: { value } }: Patch): string {
  const name = (value as { readonly name?: unknown } | undefined)?.name;
  return typeof name === 'string' ? name : '';
}
