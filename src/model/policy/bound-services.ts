import { appendTo } from '../../base/append-to.js';
import type { MeshObject } from '../../config/object.js';
import type { Service } from '../service.js';
import { actsEverywhere, type BindingGrants, grantedBy, mayActOn } from './binding-grants.js';
import { matchesHost, type ServicePattern } from './service-pattern.js';

/** The fields of a service that decide which bindings act on it. */
export type BoundService = Pick<Service, 'hostname' | 'namespace'>;

interface Entry<Value> {
  readonly binding: MeshObject;
  readonly pattern: ServicePattern;
  readonly value: Value;
}

/**
 * Finds the values that bindings add to a service. Only wildcards of namespaces that may act on the service are looked
 * at.
 */
export class BoundServices<Value> {
  readonly #grants: BindingGrants;
  readonly #byHost = new Map<string, Entry<Value>[]>();
  /** Wildcards of bindings that act on every namespace. */
  readonly #everywhere: Entry<Value>[] = [];
  /** Other wildcards, by namespace of the binding. */
  readonly #byNamespace = new Map<string, Entry<Value>[]>();

  constructor(grants: BindingGrants) {
    this.#grants = grants;
  }

  add(binding: MeshObject, pattern: ServicePattern, value: Value): void {
    const entry = { binding, pattern, value };
    if (pattern.type === 'host') appendTo(this.#byHost, pattern.hostname, entry);
    else if (actsEverywhere(this.#grants, binding)) this.#everywhere.push(entry);
    else appendTo(this.#byNamespace, binding.metadata.namespace, entry);
  }

  /** The values of all patterns that match the service and may act on it; a value may appear twice. */
  find({ hostname, namespace }: BoundService): readonly Value[] {
    const named = (this.#byHost.get(hostname) ?? []).filter(({ binding }) =>
      mayActOn(this.#grants, binding, namespace),
    );
    const found = named.map(({ value }) => value);
    for (const entries of this.#wildcardsAt(namespace)) {
      for (const { pattern, value } of entries) if (matchesHost(pattern, hostname)) found.push(value);
    }
    return found;
  }

  *#wildcardsAt(namespace: string): Iterable<readonly Entry<Value>[]> {
    yield this.#everywhere;
    const granted = grantedBy(this.#grants, namespace);
    if (granted === 'all') {
      yield* this.#byNamespace.values();
      return;
    }
    for (const other of new Set([namespace, ...granted])) yield this.#byNamespace.get(other) ?? [];
  }
}
