import { isDeepStrictEqual } from 'node:util';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MeshObject } from '../../config/object.js';
import { type BindingGrants, grantAnnotation, parseGrants } from '../policy/binding-grants.js';

/** What Namespaces grant to bindings of others, brought up to date object by object. */
export class GrantTable {
  readonly #annotation: string;
  #byNamespace = new Map<string, ReadonlySet<string>>();
  #grants: BindingGrants | undefined;

  constructor(meshDomain: string) {
    this.#annotation = grantAnnotation(meshDomain);
  }

  /**
   * @param namespace undefined when the cluster has none of that name
   * @returns whether it grants something else than before
   */
  set(name: string, namespace: MeshObject | undefined): boolean {
    const granted = parseGrants(namespace?.metadata.annotations[this.#annotation]);
    if (isDeepStrictEqual(granted, [...(this.#byNamespace.get(name) ?? [])])) return false;
    this.#byNamespace = new Map(this.#byNamespace);
    if (granted.length === 0) this.#byNamespace.delete(name);
    else this.#byNamespace.set(name, new Set(granted));
    return true;
  }

  /** The same object while neither a grant nor what is read of the mesh config has changed. */
  grants({ rootNamespace, policy }: Pick<MeshConfig, 'rootNamespace' | 'policy'>): BindingGrants {
    const isOpen = policy.policyBindingScope === 'ALL_NAMESPACES';
    const known = this.#grants;
    if (known?.byNamespace !== this.#byNamespace || known.rootNamespace !== rootNamespace || known.isOpen !== isOpen) {
      this.#grants = { annotation: this.#annotation, rootNamespace, isOpen, byNamespace: this.#byNamespace };
    }
    return this.#grants as BindingGrants;
  }
}
