import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameResource } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';

/** A virtual host of a route table. */
export interface TableHost {
  readonly name: string;
  /** The virtual host as a field of the table, as encoded. */
  readonly field: Buffer;
}

/**
 * A route table that is composed of encoded parts. Its bytes are joined on demand: a proxy that gets virtual hosts one by
 * one never needs the whole table.
 */
export class ComposedTable implements EncodedResource {
  readonly name: string;
  /** All fields but the virtual hosts, as encoded. */
  readonly head: Buffer;
  readonly hosts: readonly TableHost[];
  /** What it was composed from: stays in memory as long as a table of it. */
  readonly origin: object | undefined;
  #whole: EncodedResource | undefined;

  constructor(name: string, head: Buffer, hosts: readonly TableHost[], origin?: object) {
    this.name = name;
    this.head = head;
    this.hosts = hosts;
    this.origin = origin;
  }

  get version(): string {
    return this.#joined().version;
  }

  get entry(): Buffer {
    return this.#joined().entry;
  }

  #joined(): EncodedResource {
    const fields = [this.head, ...this.hosts.map(({ field }) => field)];
    this.#whole ??= frameResource(TypeUrl.route, this.name, Buffer.concat(fields));
    return this.#whole;
  }
}
