/**
 * Who was made from what: a consumer (a service) names the facts that it looked up (a pod, an address),
 * present or not, and a change of a fact finds its consumers. Most facts have one consumer, which is then
 * kept without a set.
 */
export class DependencyIndex {
  readonly #facts = new Map<string, readonly string[]>();
  readonly #consumers = new Map<string, string | Set<string>>();

  /** Replaces what the consumer depends on. */
  set(consumer: string, facts: Iterable<string>): void {
    const next = new Set(facts);
    const previous = new Set(this.#facts.get(consumer));
    for (const fact of previous) if (!next.has(fact)) this.#unlink(fact, consumer);
    for (const fact of next) if (!previous.has(fact)) this.#link(fact, consumer);
    if (next.size === 0) this.#facts.delete(consumer);
    else this.#facts.set(consumer, [...next]);
  }

  consumersOf(fact: string): Iterable<string> {
    const consumers = this.#consumers.get(fact);
    if (consumers === undefined) return [];
    return typeof consumers === 'string' ? [consumers] : consumers;
  }

  #link(fact: string, consumer: string): void {
    const consumers = this.#consumers.get(fact);
    if (consumers === undefined) this.#consumers.set(fact, consumer);
    else if (typeof consumers !== 'string') consumers.add(consumer);
    else if (consumers !== consumer) this.#consumers.set(fact, new Set([consumers, consumer]));
  }

  #unlink(fact: string, consumer: string): void {
    const consumers = this.#consumers.get(fact);
    if (consumers === consumer) this.#consumers.delete(fact);
    else if (consumers instanceof Set) {
      consumers.delete(consumer);
      if (consumers.size === 0) this.#consumers.delete(fact);
    }
  }
}
