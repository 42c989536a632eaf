import type { AttributeLayer } from './attribute-bag.js';
import type { AttributeValue } from './attribute-value.js';

/** Makes an attribute; undefined when the facts do not have it. */
export type AttributeReader<Facts> = (facts: Facts) => AttributeValue | undefined;

/** How each attribute of one origin is made, by name. */
export type AttributeReaders<Facts> = ReadonlyMap<string, AttributeReader<Facts>>;

/**
 * A layer that makes each attribute at its first use. Rules read few attributes of a request, and making all of them
 * would be most of the cost of a decision.
 */
export class DerivedLayer<Facts> implements AttributeLayer {
  readonly #facts: Facts;
  readonly #readers: AttributeReaders<Facts>;
  /** Known attributes, which take precedence over derived ones. */
  readonly #given: AttributeLayer;
  readonly #made = new Map<string, AttributeValue | undefined>();
  #all: AttributeLayer | undefined;

  /** @param given attributes by any name; they take precedence */
  constructor(facts: Facts, readers: AttributeReaders<Facts>, given: AttributeLayer) {
    this.#facts = facts;
    this.#readers = readers;
    this.#given = given;
  }

  get(name: string): AttributeValue | undefined {
    return this.#given.get(name) ?? this.#derive(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  get size(): number {
    return this.#whole().size;
  }

  forEach(visit: (value: AttributeValue, name: string, layer: AttributeLayer) => void): void {
    this.#whole().forEach(visit);
  }

  entries(): MapIterator<[string, AttributeValue]> {
    return this.#whole().entries();
  }

  keys(): MapIterator<string> {
    return this.#whole().keys();
  }

  values(): MapIterator<AttributeValue> {
    return this.#whole().values();
  }

  [Symbol.iterator](): MapIterator<[string, AttributeValue]> {
    return this.#whole().entries();
  }

  #derive(name: string): AttributeValue | undefined {
    const read = this.#readers.get(name);
    if (read === undefined) return undefined;
    const made = this.#made.get(name);
    if (made !== undefined || this.#made.has(name)) return made;
    const value = read(this.#facts);
    this.#made.set(name, value);
    return value;
  }

  #whole(): AttributeLayer {
    if (this.#all !== undefined) return this.#all;
    const all = new Map<string, AttributeValue>();
    for (const name of this.#readers.keys()) {
      const value = this.get(name);
      if (value !== undefined) all.set(name, value);
    }
    for (const [name, value] of this.#given) all.set(name, value);
    this.#all = all;
    return all;
  }
}
