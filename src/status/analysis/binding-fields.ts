import type { PolicyBindings } from '../../model/policy/policy-bindings.js';
import type { ResolvedBinding } from '../../model/policy/resolve-bindings.js';

/** A binding of either kind, with the name of the field that holds its references. */
export interface AnyBinding {
  readonly resolved: ResolvedBinding;
  readonly referencesField: 'quotaSpecs' | 'apiSpecs';
}

export function allBindings({ quotas, apis }: PolicyBindings): readonly AnyBinding[] {
  return [
    ...quotas.bindings.map((resolved) => ({ resolved, referencesField: 'quotaSpecs' as const })),
    ...apis.bindings.map((resolved) => ({ resolved, referencesField: 'apiSpecs' as const })),
  ];
}
