import { encodeDiscoveryRequest, encodeResourceNames } from '../wire/discovery-request.js';
import type { ResponseHead } from '../wire/discovery-response.js';
import { readResourceNames } from '../wire/resource-names.js';

const NO_NAMES = Buffer.alloc(0);

/** Subscription to one type on one stream: requested, received and missing names. */
export class Subscription {
  readonly typeUrl: string;
  /** Requests and messages since the phase began. */
  requestsInPhase = 0;
  messagesInPhase = 0;
  #versionInfo = '';
  #nonce = '';
  #names: readonly string[] = [];
  #encodedNames: Buffer = NO_NAMES;
  #requested = false;
  #answered = false;
  /** Names that were in no response; undefined until a response was partial. */
  #missing: Set<string> | undefined;

  constructor(typeUrl: string) {
    this.typeUrl = typeUrl;
  }

  get isRequested(): boolean {
    return this.#requested;
  }

  /** True when every name asked for (or, without names, any response) has been received. */
  get isComplete(): boolean {
    return this.#answered && (this.#missing === undefined || this.#missing.size === 0);
  }

  /** Changes the names; true when the list differs, so that a request is due. */
  setNames(names: readonly string[]): boolean {
    const encoded = encodeResourceNames(names);
    if (this.#requested && encoded.equals(this.#encodedNames)) return false;
    this.#names = names;
    this.#encodedNames = encoded;
    return true;
  }

  /** The bytes of a request for the present names that acknowledges the last response, if there was one. */
  buildRequest(node?: Buffer): Buffer {
    this.#requested = true;
    this.requestsInPhase += 1;
    return encodeDiscoveryRequest({
      typeUrl: this.typeUrl,
      versionInfo: this.#versionInfo,
      responseNonce: this.#nonce,
      resourceNames: this.#encodedNames,
      ...(node === undefined ? {} : { node }),
    });
  }

  /** Takes note of a response. */
  accept(head: ResponseHead, message: Buffer): void {
    this.#versionInfo = head.versionInfo;
    this.#nonce = head.nonce;
    this.messagesInPhase += 1;
    const partial = this.#names.length > 0 && head.resourceCount < this.#names.length;
    if (!this.#answered && partial) this.#missing = new Set(this.#names);
    this.#answered = true;
    if (this.#missing === undefined || this.#missing.size === 0) return;
    if (partial) for (const name of readResourceNames(message)) this.#missing.delete(name);
    else this.#missing.clear();
  }

  beginPhase(): void {
    this.requestsInPhase = 0;
    this.messagesInPhase = 0;
  }

  /** For the message of a wait that took too long, for example `990 of 1000 resources`. */
  describeProgress(): string {
    if (!this.#requested) return 'not yet asked for';
    if (!this.#answered) return 'asked for, no answer yet';
    const missing = this.#missing?.size ?? 0;
    return `${this.#names.length - missing} of ${this.#names.length} resources`;
  }
}
