import { isDeepStrictEqual } from 'node:util';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MeshObject } from '../../config/object.js';
import { isOfOperator } from '../operator-object.js';

/** Every namespace, in a grant. */
const EVERY = '*';

/**
 * The namespaces that each namespace allows to bind policies to its services. The same object from snapshot to snapshot
 * while it does not change.
 */
export interface BindingGrants {
  /** Annotation of a Namespace that names the namespaces whose bindings may act on it. */
  readonly annotation: string;
  /** Root namespace: its bindings act on all namespaces, and all bindings may refer to its specs. */
  readonly rootNamespace: string;
  /** Whether all bindings act on all namespaces (`policyBindingScope` of the mesh config). */
  readonly isOpen: boolean;
  /** The namespaces in the annotation of each namespace; `*` stays. Namespaces without grants are left out. */
  readonly byNamespace: ReadonlyMap<string, ReadonlySet<string>>;
}

type Binding = Pick<MeshObject, 'origin' | 'metadata'>;

/** `policy.<mesh domain>/bindings-from` */
function grantAnnotation(meshDomain: string): string {
  return `policy.${meshDomain}/bindings-from`;
}

/** Reads the annotation: namespaces between commas, `*` for all. */
export function parseGrants(text: string | undefined): readonly string[] {
  const named = (text ?? '').split(',').map((item) => item.trim());
  return [...new Set(named)].filter((item) => item !== '').sort();
}

/** Whether the binding acts on all namespaces without their grants. */
export function actsEverywhere({ isOpen, rootNamespace }: BindingGrants, binding: Binding): boolean {
  return isOpen || isOfOperator(binding, rootNamespace);
}

/** Whether the binding may act on services of a namespace. */
export function mayActOn(grants: BindingGrants, binding: Binding, namespace: string): boolean {
  if (binding.metadata.namespace === namespace || actsEverywhere(grants, binding)) return true;
  const granted = grants.byNamespace.get(namespace);
  return granted !== undefined && (granted.has(EVERY) || granted.has(binding.metadata.namespace));
}

/**
 * Whether the binding may refer to specs of a namespace. The proxies of the bound services receive the spec, so a
 * namespace must grant the binding before others can read its rules.
 */
export function mayReferTo(grants: BindingGrants, binding: Binding, namespace: string): boolean {
  return namespace === grants.rootNamespace || mayActOn(grants, binding, namespace);
}

/** The namespaces whose bindings a namespace allows, beside its own and the root namespace. */
export function grantedBy({ byNamespace }: BindingGrants, namespace: string): 'all' | Iterable<string> {
  const granted = byNamespace.get(namespace) ?? [];
  return byNamespace.get(namespace)?.has(EVERY) === true ? 'all' : granted;
}

/** The command that allows bindings of one namespace to act on another, in addition to the existing grants. */
export function grantCommand({ annotation, byNamespace }: BindingGrants, namespace: string, to: string): string {
  const granted = [...new Set([...(byNamespace.get(namespace) ?? []), to])].join();
  return `kubectl annotate --overwrite namespace ${namespace} ${annotation}=${granted}`;
}

/** The grants of Namespaces, updated object by object. */
export class GrantTable {
  readonly #annotation: string;
  #byNamespace = new Map<string, ReadonlySet<string>>();
  #grants: BindingGrants | undefined;

  constructor(meshDomain: string) {
    this.#annotation = grantAnnotation(meshDomain);
  }

  /**
   * @param namespace undefined when it was deleted
   * @returns whether its grants changed
   */
  set(name: string, namespace: MeshObject | undefined): boolean {
    const granted = parseGrants(namespace?.metadata.annotations[this.#annotation]);
    if (isDeepStrictEqual(granted, [...(this.#byNamespace.get(name) ?? [])])) return false;
    this.#byNamespace = new Map(this.#byNamespace);
    if (granted.length === 0) this.#byNamespace.delete(name);
    else this.#byNamespace.set(name, new Set(granted));
    return true;
  }

  /** The same object while the grants and the fields of the mesh config stay the same. */
  grants({ rootNamespace, policy }: Pick<MeshConfig, 'rootNamespace' | 'policy'>): BindingGrants {
    const isOpen = policy.policyBindingScope === 'ALL_NAMESPACES';
    const known = this.#grants;
    if (known?.byNamespace !== this.#byNamespace || known.rootNamespace !== rootNamespace || known.isOpen !== isOpen) {
      this.#grants = { annotation: this.#annotation, rootNamespace, isOpen, byNamespace: this.#byNamespace };
    }
    return this.#grants as BindingGrants;
  }
}
