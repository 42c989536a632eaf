import type { BindingGrants } from '../../../src/model/policy/binding-grants.js';

/** No namespace grants anything. */
export const NO_GRANTS: BindingGrants = {
  annotation: 'policy.mesh.internal/bindings-from',
  rootNamespace: 'mesh-system',
  isOpen: false,
  byNamespace: new Map(),
};
