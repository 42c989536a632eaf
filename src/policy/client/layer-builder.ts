import type { AttributeLayer } from './attribute-bag.js';
import {
  type AttributeValue,
  boolAttribute,
  bytesAttribute,
  durationAttribute,
  int64Attribute,
  stringAttribute,
  stringMapAttribute,
  timestampAttribute,
} from './attribute-value.js';

/** Collects attributes, passing over what is not known: an attribute that is unset is absent, never empty. */
export class LayerBuilder {
  readonly #layer = new Map<string, AttributeValue>();

  string(name: string, value: string | undefined): this {
    return value === undefined || value === '' ? this : this.#set(name, stringAttribute(value));
  }

  int64(name: string, value: bigint | number | undefined): this {
    return value === undefined ? this : this.#set(name, int64Attribute(value));
  }

  bool(name: string, value: boolean | undefined): this {
    return value === undefined ? this : this.#set(name, boolAttribute(value));
  }

  bytes(name: string, value: Uint8Array | undefined): this {
    return value === undefined || value.length === 0 ? this : this.#set(name, bytesAttribute(value));
  }

  timestamp(name: string, epochNs: bigint | undefined): this {
    return epochNs === undefined ? this : this.#set(name, timestampAttribute(epochNs));
  }

  duration(name: string, nanoseconds: bigint | undefined): this {
    return nanoseconds === undefined ? this : this.#set(name, durationAttribute(nanoseconds));
  }

  stringMap(name: string, value: ReadonlyMap<string, string> | undefined): this {
    return value === undefined || value.size === 0 ? this : this.#set(name, stringMapAttribute(value));
  }

  all(layer: AttributeLayer): this {
    for (const [name, value] of layer) this.#set(name, value);
    return this;
  }

  build(): AttributeLayer {
    return this.#layer;
  }

  #set(name: string, value: AttributeValue): this {
    this.#layer.set(name, value);
    return this;
  }
}
