/**
 * The objects that the translation of each service looked up (a pod, an address), whether it found them or not. A
 * changed object finds the keys of its services. Most objects have one, stored without a set.
 */
export class DependencyIndex {
  readonly #facts = new Map<string, readonly string[]>();
  readonly #serviceKeys = new Map<string, string | Set<string>>();

  /** Replaces the dependencies of a service. */
  set(serviceKey: string, facts: Iterable<string>): void {
    const next = new Set(facts);
    const previous = new Set(this.#facts.get(serviceKey));
    for (const fact of previous) if (!next.has(fact)) this.#unlink(fact, serviceKey);
    for (const fact of next) if (!previous.has(fact)) this.#link(fact, serviceKey);
    if (next.size === 0) this.#facts.delete(serviceKey);
    else this.#facts.set(serviceKey, [...next]);
  }

  serviceKeysOf(fact: string): Iterable<string> {
    const serviceKeys = this.#serviceKeys.get(fact);
    if (serviceKeys === undefined) return [];
    return typeof serviceKeys === 'string' ? [serviceKeys] : serviceKeys;
  }

  #link(fact: string, serviceKey: string): void {
    const serviceKeys = this.#serviceKeys.get(fact);
    if (serviceKeys === undefined) this.#serviceKeys.set(fact, serviceKey);
    else if (typeof serviceKeys !== 'string') serviceKeys.add(serviceKey);
    else if (serviceKeys !== serviceKey) this.#serviceKeys.set(fact, new Set([serviceKeys, serviceKey]));
  }

  #unlink(fact: string, serviceKey: string): void {
    const serviceKeys = this.#serviceKeys.get(fact);
    if (serviceKeys === serviceKey) this.#serviceKeys.delete(fact);
    else if (serviceKeys instanceof Set) {
      serviceKeys.delete(serviceKey);
      if (serviceKeys.size === 0) this.#serviceKeys.delete(fact);
    }
  }
}
