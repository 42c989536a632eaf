import type { AttributeLayer } from './attribute-bag.js';
import {
  type AttributeValue,
  durationAttribute,
  int64Attribute,
  optionalBool,
  optionalBytes,
  optionalString,
  optionalStringMap,
  timestampAttribute,
} from './attribute-value.js';

/** Collects attributes and skips unknown ones: an unset attribute is absent, never empty. */
export class LayerBuilder {
  readonly #layer = new Map<string, AttributeValue>();

  string(name: string, value: string | undefined): this {
    return this.#set(name, optionalString(value));
  }

  int64(name: string, value: bigint | number | undefined): this {
    return this.#set(name, value === undefined ? undefined : int64Attribute(value));
  }

  bool(name: string, value: boolean | undefined): this {
    return this.#set(name, optionalBool(value));
  }

  bytes(name: string, value: Uint8Array | undefined): this {
    return this.#set(name, optionalBytes(value));
  }

  timestamp(name: string, epochNs: bigint | undefined): this {
    return this.#set(name, epochNs === undefined ? undefined : timestampAttribute(epochNs));
  }

  duration(name: string, nanoseconds: bigint | undefined): this {
    return this.#set(name, nanoseconds === undefined ? undefined : durationAttribute(nanoseconds));
  }

  stringMap(name: string, value: ReadonlyMap<string, string> | undefined): this {
    return this.#set(name, optionalStringMap(value));
  }

  build(): AttributeLayer {
    return this.#layer;
  }

  #set(name: string, value: AttributeValue | undefined): this {
    if (value !== undefined) this.#layer.set(name, value);
    return this;
  }
}
