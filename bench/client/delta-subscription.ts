import { type DeltaRequest, encodeDeltaRequest } from '../wire/delta-request.js';
import type { DeltaResponseHead } from '../wire/delta-response.js';
import { shuffled, type VersionEntries, type VersionEntry } from '../wire/version-entries.js';

/** Subscription to one type on one delta stream: the names asked for, and the versions received. */
export class DeltaSubscription {
  readonly typeUrl: string;
  /** Requests and messages since the phase began. */
  requestsInPhase = 0;
  messagesInPhase = 0;
  readonly #names = new Set<string>();
  readonly #versions = new Map<string, VersionEntry>();
  readonly #entries: VersionEntries;
  readonly #missing = new Set<string>();
  #requested = false;
  #answered = false;

  /** @param entries the resources of all clients */
  constructor(typeUrl: string, entries: VersionEntries) {
    this.typeUrl = typeUrl;
    this.#entries = entries;
  }

  get isRequested(): boolean {
    return this.#requested;
  }

  /** True when every name asked for (or, without names, any response) has been answered. */
  get isComplete(): boolean {
    return this.#answered && this.#missing.size === 0;
  }

  /** The bytes of the first request, for everything. */
  buildWildcard(node?: Buffer): Buffer {
    return this.#build(node === undefined ? {} : { node });
  }

  buildAcknowledgement(nonce: string): Buffer {
    return this.#build({ nonce });
  }

  /** The bytes of a request for the names that are new; undefined if none is. */
  subscribe(names: readonly string[]): Buffer | undefined {
    const added = names.filter((name) => !this.#names.has(name));
    if (added.length === 0) return undefined;
    for (const name of added) {
      this.#names.add(name);
      this.#missing.add(name);
    }
    return this.#build({ subscribe: added });
  }

  /** The bytes of a request that drops names; undefined if none of them was asked for. */
  unsubscribe(names: readonly string[]): Buffer | undefined {
    const dropped = names.filter((name) => this.#names.delete(name));
    if (dropped.length === 0) return undefined;
    for (const name of dropped) {
      this.#missing.delete(name);
      this.#versions.delete(name);
    }
    return this.#build({ unsubscribe: dropped });
  }

  /**
   * The bytes of the first request on another stream, with the versions of everything that was received.
   *
   * @param forgets the client has lost this many resources, so that the server has something to send
   * @param order each number is another order of the versions
   */
  resume(forgets: number, order: number, node?: Buffer): Buffer {
    for (const name of [...this.#versions.keys()].slice(0, forgets)) {
      this.#versions.delete(name);
      this.#missing.add(name);
    }
    const head = this.#build(node === undefined ? {} : { node });
    const names = Array.from(this.#names, (name) => this.#entries.subscribeField(name));
    const versions = shuffled([...this.#versions.values()], order).map(({ encoded }) => encoded);
    return Buffer.concat([head, ...names, ...versions]);
  }

  accept({ versions, removed }: DeltaResponseHead): void {
    this.messagesInPhase += 1;
    this.#answered = true;
    for (const [name, version] of versions) {
      // The name of the entry, so that the one of the response is garbage.
      const entry = this.#entries.entryOf(name, version);
      this.#versions.set(entry.name, entry);
      this.#missing.delete(name);
    }
    for (const name of removed) {
      this.#versions.delete(name);
      this.#missing.delete(name);
    }
  }

  beginPhase(): void {
    this.requestsInPhase = 0;
    this.messagesInPhase = 0;
  }

  /** For the message of a wait that took too long, for example `990 of 1000 resources`. */
  describeProgress(): string {
    if (!this.#requested) return 'not yet asked for';
    if (!this.#answered) return 'asked for, no answer yet';
    return `${this.#names.size - this.#missing.size} of ${this.#names.size} resources`;
  }

  #build(request: Omit<DeltaRequest, 'typeUrl'>): Buffer {
    this.#requested = true;
    this.requestsInPhase += 1;
    return encodeDeltaRequest({ typeUrl: this.typeUrl, ...request });
  }
}
