import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { createMemo } from '../../model/memo.js';
import type { Scope } from '../generator.js';
import type { SelectedPatches } from './patch-selection.js';
import type { Patched, ResourcePatcher } from './resource-patcher.js';

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

/** A patcher that remembers its results by the identity of resources and patches. */
export interface ResourceMemo extends Pick<ResourcePatcher, 'add'> {
  patch(resource: EncodedResource, selected: SelectedPatches): Patched;
}

export function createResourceMemo(patcher: ResourcePatcher): ResourceMemo {
  const memo = createMemo<Patched>();
  return {
    patch: (resource, { key, patches, place }) =>
      memo.of([patches, resource], key, () => patcher.patch(resource, patches, place)),
    add: patcher.add,
  };
}
