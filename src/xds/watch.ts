import type { ResourceDiff, ResourceSet } from '../envoy/resource-set.js';
import type { ResourceGenerator } from '../generators/generator.js';
import type { WatchSnapshot } from '../model/proxy-connection.js';
import type { EncodedNames, NameSet } from '../push/name-set.js';
import type { HeldRoot } from './limits/held-objects.js';
import { shorten } from './shorten.js';

/**
 * Whether a proxy is owed a response of one type: `ifChanged` after a push that may concern it, `always`
 * after it asked.
 */
export type Due = 'no' | 'ifChanged' | 'always';

const MAX_VERSION_CHARACTERS = 128;

/** What a response took a proxy to. */
export interface SentResponse {
  readonly nonce: string;
  readonly version: string;
  readonly at: Date;
}

/**
 * One resource type on one stream: what is subscribed, owed, out and acknowledged. Pure bookkeeping; the
 * session that owns it sends.
 */
export class Watch {
  readonly generator: ResourceGenerator;
  /** A response is out and neither acknowledged nor rejected. */
  #unanswered = false;
  /** A response has not left this process yet. */
  #writing = false;
  /** What the proxy asks for; undefined for everything. */
  encodedNames: EncodedNames | undefined;
  due: Due = 'always';
  /** Counts the subscriptions of this watch: what is being made for an earlier one is of no use. */
  subscription = 0;
  /** What the last response brought the proxy to. */
  sent: ResourceSet | undefined;
  /**
   * Clusters that the proxy is warming because they changed: it waits for their endpoints, even for
   * those that did not change.
   */
  warming: ResourceDiff | undefined;
  #accepted: ResourceSet | undefined;
  /** What the proxy last rejected, until it has something else. */
  #refused: ResourceSet | undefined;
  #response: SentResponse | undefined;
  #ackedNonce = '';
  #ackedVersion = '';
  /** Ledger root of the newest configuration that `sent` still stands for. */
  #sentRoot = '';
  #ackedRoot = '';
  #rejection: WatchSnapshot['rejection'];

  readonly #onProgress: () => void;

  /** @param onProgress called when the acknowledged root or the rejection has changed */
  constructor(generator: ResourceGenerator, onProgress: () => void) {
    this.generator = generator;
    this.#onProgress = onProgress;
  }

  get names(): NameSet | undefined {
    return this.encodedNames?.set;
  }

  /** Takes what the proxy asks for now. @returns whether that is another set of names */
  setNames(names: EncodedNames | undefined): boolean {
    const before = this.names;
    this.encodedNames = names;
    if (this.names === before) return false;
    this.subscription++;
    return true;
  }

  get sentNonce(): string {
    return this.#response?.nonce ?? '';
  }

  /**
   * Whether a response may be sent now: it is owed, and the one before it has been read and answered. A
   * client that asks again without reading gets no second buffer.
   */
  get isReady(): boolean {
    return this.due !== 'no' && !this.#unanswered && !this.#writing;
  }

  /** A response is out that the proxy has neither acknowledged nor rejected. */
  get isUnanswered(): boolean {
    return this.#unanswered;
  }

  want(due: Due): void {
    if (this.due === 'no' || due === 'always') this.due = due;
  }

  /** A response is being made from now on; what is wanted meanwhile is owed after it. @returns what it is owed for */
  begin(): Due {
    const { due } = this;
    this.due = 'no';
    return due;
  }

  /** The proxy starts from nothing, whatever this stream was sent before. */
  resubscribe(): void {
    this.subscription++;
    this.sent = undefined;
    this.#accepted = undefined;
    this.#refused = undefined;
    this.#unanswered = false;
    this.want('always');
  }

  /** A set that the proxy rejected is not offered again before it changes. */
  wasRefused(set: ResourceSet): boolean {
    return this.#refused !== undefined && (set === this.#refused || set.hash === this.#refused.hash);
  }

  respond(set: ResourceSet, response: SentResponse, root: string): void {
    this.warming = undefined;
    this.#unanswered = true;
    this.#writing = true;
    this.sent = set;
    this.#response = response;
    this.#sentRoot = root;
  }

  /** The response has left this process, or never will. */
  written(): void {
    this.#writing = false;
  }

  acknowledge(nonce: string, version: string): void {
    this.#unanswered = false;
    this.#ackedNonce = nonce;
    // A proxy repeats the version of the response; another text is not worth its length.
    this.#ackedVersion = version === this.#response?.version ? version : shorten(version, MAX_VERSION_CHARACTERS);
    this.#ackedRoot = this.#sentRoot;
    this.#accepted = this.sent;
    this.#refused = undefined;
    this.#rejection = undefined;
    this.#onProgress();
  }

  /** The proxy is where it was: what it refused does not count as sent. */
  reject(nonce: string, code: string, message: string): void {
    this.#unanswered = false;
    this.#rejection = { code, message, nonce };
    this.#refused = this.sent;
    this.sent = this.#accepted;
    this.#onProgress();
  }

  /** The newest configuration cannot have changed this type. */
  unaffected(root: string): void {
    if (this.#refused !== undefined) return;
    this.#sentRoot = root;
    if (this.#unanswered || this.#ackedNonce === '' || this.#ackedRoot === root) return;
    this.#ackedRoot = root;
    this.#onProgress();
  }

  /** The newest configuration was generated and is what the proxy has, or is being sent, already. */
  unchanged(set: ResourceSet, root: string): void {
    this.sent = set;
    // Clusters that changed and have none of these wait for nothing.
    this.warming = undefined;
    if (!this.#unanswered) {
      this.#accepted = set;
      this.#refused = undefined;
      if (this.#rejection !== undefined) this.#onProgress();
      this.#rejection = undefined;
    }
    this.unaffected(root);
  }

  /** Tells what the stream keeps in memory for this type. */
  tellHeld(add: (root: HeldRoot) => void): void {
    if (this.encodedNames !== undefined) add(this.encodedNames);
    if (this.sent !== undefined) add(this.sent);
    if (this.#accepted !== undefined) add(this.#accepted);
    if (this.#refused !== undefined) add(this.#refused);
  }

  snapshot(): WatchSnapshot {
    return {
      typeUrl: this.generator.typeUrl,
      resourceNames: this.names?.names ?? [],
      sentNonce: this.sentNonce,
      ackedNonce: this.#ackedNonce,
      sentVersion: this.#response?.version ?? '',
      ackedVersion: this.#ackedVersion,
      ackedRoot: this.#ackedRoot,
      ...(this.#rejection === undefined ? {} : { rejection: this.#rejection }),
      ...(this.#response === undefined ? {} : { sentAt: this.#response.at }),
    };
  }
}
