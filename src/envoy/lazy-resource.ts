import type { EncodedResource } from './encoded-resource.js';

/** Encodes the resources of one kind whose content follows from their name. */
export interface NameEncoder {
  /** The same for all of them, because only their names differ. */
  readonly version: string;
  encode(name: string): Buffer;
}

/**
 * A resource for a name that does not exist. Its content follows from its name, and it is encoded when a response
 * contains it. A peer can request a hundred thousand names that do not exist: each costs this object and its name, but
 * no encoded message and no hash.
 */
export class LazyResource implements EncodedResource {
  readonly name: string;
  readonly #encoder: NameEncoder;

  constructor(name: string, encoder: NameEncoder) {
    this.name = name;
    this.#encoder = encoder;
  }

  get isUnknown(): boolean {
    return true;
  }

  get version(): string {
    return this.#encoder.version;
  }

  get entry(): Buffer {
    return this.#encoder.encode(this.name);
  }
}
