import { haveEqualResources, type ResourceDiff, type ResourceSet } from '../envoy/resource-set.js';
import type { WatchSnapshot } from '../model/proxy-connection.js';
import type { EncodedNames, NameSet } from '../push/name-set.js';
import { type AfterDoubt, HeldResources, keepAccepted } from './held-resources.js';
import type { PeerStream } from './limits/peers.js';
import { OutstandingResponse } from './outstanding-response.js';
import type { ResourceProvider } from './resource-provider.js';
import { shorten } from './shorten.js';

/**
 * Whether a response of a type is pending: `ifChanged` after a push that may have changed the type's resources,
 * `always` after the proxy asked.
 */
export type PendingPush = 'no' | 'ifChanged' | 'always';

const MAX_VERSION_CHARACTERS = 128;

/** A response that was sent. */
export interface SentResponse {
  readonly nonce: string;
  readonly version: string;
  readonly at: Date;
}

/**
 * The subscription of one stream to one type: the names that it asks for, the pending response, the unanswered response
 * and the acknowledged one. It only keeps state. The stream's protocol and its Responder send.
 */
export class WatchedResource {
  readonly provider: ResourceProvider;
  pending: PendingPush = 'always';
  /** Counts the changes of the subscription: a response that was begun before the last change is dropped. */
  subscription = 0;
  /** Clusters that changed. Envoy uses none of them before it gets their endpoints, also if these did not change. */
  warming: ResourceDiff | undefined;
  readonly outstanding = new OutstandingResponse();
  /** The pending response only removes resources that other types still used when the newest response was made. */
  #onlyRemoves = false;
  readonly #account: Pick<PeerStream, 'replace'>;
  #encodedNames: EncodedNames | undefined;
  #subscribed: EncodedNames | undefined;
  #asked: EncodedNames | undefined;
  readonly #held: HeldResources;
  #response: SentResponse | undefined;
  #ackedNonce = '';
  #ackedVersion = '';
  /** The newest configuration with the resources of `sent`. */
  #sentConfigVersion = '';
  #ackedConfigVersion = '';
  #rejection: WatchSnapshot['rejection'];
  /** The newest response was rejected, and the newest configuration has again what the proxy accepted before. */
  #isSpared = false;

  readonly #onProgress: () => void;
  /** Version of the resources that the proxy had when it connected. */
  #heldVersion = '';

  /**
   * @param account counts what the subscription keeps in memory, whenever one of these fields changes
   * @param onProgress called when the acknowledged configuration or the rejection has changed
   */
  constructor(
    provider: ResourceProvider,
    account: Pick<PeerStream, 'replace'>,
    onProgress: () => void,
    afterDoubt: AfterDoubt = keepAccepted,
  ) {
    this.provider = provider;
    this.#account = account;
    this.#onProgress = onProgress;
    this.#held = new HeldResources(account, afterDoubt);
  }

  /** Undefined for everything. */
  get encodedNames(): EncodedNames | undefined {
    return this.#encodedNames;
  }

  /** Names of a delta subscription, with `*`. Undefined for state of the world. */
  get subscribed(): EncodedNames | undefined {
    return this.#subscribed;
  }

  set subscribed(names: EncodedNames | undefined) {
    this.#subscribed = this.#account.replace(this.#subscribed, names);
  }

  /** Names that the next response of a delta subscription answers. */
  get asked(): EncodedNames | undefined {
    return this.#asked;
  }

  set asked(names: EncodedNames | undefined) {
    this.#asked = this.#account.replace(this.#asked, names);
  }

  /** The resources that the proxy has once it accepts the newest response. */
  get sent(): ResourceSet | undefined {
    return this.#held.sent;
  }

  get names(): NameSet | undefined {
    return this.#encodedNames?.set;
  }

  /** The names with `*`, where a subscription to everything names resources too. Undefined for everything alone. */
  get namesWithWildcard(): NameSet | undefined {
    return this.names ?? this.subscribed?.set;
  }

  /** Sets the names that the proxy asks for. @returns whether they are another set than before */
  setNames(names: EncodedNames | undefined): boolean {
    const before = this.names;
    this.#encodedNames = this.#account.replace(this.#encodedNames, names);
    if (this.names === before) return false;
    this.subscription++;
    return true;
  }

  get sentVersion(): string {
    return this.#response?.version ?? '';
  }

  get sentNonce(): string {
    return this.#response?.nonce ?? '';
  }

  /** Whether a response may be sent now. */
  get isReady(): boolean {
    return this.pending !== 'no' && this.outstanding.allowsNext;
  }

  /** The resources of a newer configuration wait for the answer to the newest response. */
  get isHeldUp(): boolean {
    return this.pending !== 'no' && !this.#onlyRemoves && this.outstanding.isAwaited;
  }

  /** The resources that the proxy rejected, and has not accepted or been spared since. */
  get rejected(): ResourceSet | undefined {
    return this.#held.rejected;
  }

  /** The resources that the proxy accepted last; undefined if it accepted none, or may have others instead. */
  get accepted(): ResourceSet | undefined {
    return this.#held.accepted;
  }

  get isUnanswered(): boolean {
    return this.outstanding.isUnanswered;
  }

  /** The next response goes out without the answer to the newest one. */
  get isOverdue(): boolean {
    return this.outstanding.isOverdue;
  }

  /** The proxy may have other resources than those it accepted: those of a response that it did not answer in time. */
  get mayHaveOthers(): boolean {
    return this.#held.isUncertain || this.isOverdue;
  }

  want(pending: PendingPush): void {
    this.#onlyRemoves = false;
    if (this.pending === 'no' || pending === 'always') this.pending = pending;
  }

  /** A response follows that removes what other types use until their next responses. */
  wantRemovals(): void {
    if (this.pending !== 'no') return;
    this.pending = 'ifChanged';
    this.#onlyRemoves = true;
  }

  /** Begins a response. Changes from now on are pending for the next one. @returns why this one was pending */
  begin(): PendingPush {
    const { pending } = this;
    this.pending = 'no';
    return pending;
  }

  /** The proxy starts without resources, whatever this stream sent before. */
  resubscribe(): void {
    this.subscription++;
    this.#held.clear();
    this.outstanding.answered();
    this.want('always');
  }

  /** The resources that the proxy may have: those of the newest response, or what `AfterDoubt` makes of it. */
  get possible(): ResourceSet | undefined {
    return this.isOverdue ? this.#held.afterNoAnswer : this.sent;
  }

  /** Corrects the resources that the proxy has: it had them before it connected, or has dropped others. */
  correct(change: (set: ResourceSet | undefined) => ResourceSet | undefined): void {
    this.#held.correct(change);
  }

  /** The proxy connected with exactly these resources, so it gets no response. */
  held(set: ResourceSet, version: string, configVersion: string): void {
    this.#held.correct(() => set);
    this.warming = undefined;
    this.#heldVersion = version;
    this.#sentConfigVersion = configVersion;
    this.#ackedConfigVersion = configVersion;
    this.#onProgress();
  }

  /** A rejected set is not sent again before it changes. */
  isRejected(set: ResourceSet): boolean {
    if (this.rejected === undefined || this.isOverdue) return false;
    return haveEqualResources(set, this.rejected);
  }

  /**
   * A response is being written.
   *
   * @param hasNew whether it has resources that the proxy does not have
   */
  respond(set: ResourceSet, response: SentResponse, configVersion: string, hasNew: boolean): void {
    this.warming = undefined;
    this.#held.send(set, this.isOverdue);
    this.outstanding.begin(hasNew);
    this.#response = response;
    this.#isSpared = false;
    this.#sentConfigVersion = configVersion;
  }

  /** The proxy accepted the newest response. */
  acknowledge(nonce: string, version: string): void {
    this.outstanding.answered();
    this.#ackedNonce = nonce;
    // A proxy repeats the version of the response. Another text may be long.
    this.#ackedVersion = version === this.#response?.version ? version : shorten(version, MAX_VERSION_CHARACTERS);
    this.#ackedConfigVersion = this.#sentConfigVersion;
    this.#held.accept();
    this.#rejection = undefined;
    this.#onProgress();
  }

  /** The proxy rejected the newest response, and keeps the resources that it accepted last. */
  reject(nonce: string, code: string, message: string): void {
    this.outstanding.answered();
    this.#rejection = { code, message, nonce };
    this.#held.reject();
    this.#onProgress();
  }

  /** The newest configuration does not change this type. */
  unaffected(configVersion: string): void {
    if (this.rejected !== undefined) return;
    this.#sentConfigVersion = configVersion;
    if (this.isUnanswered || this.#ackedConfigVersion === configVersion) return;
    if (this.#ackedNonce === '' && this.#heldVersion === '') return;
    this.#ackedConfigVersion = configVersion;
    this.#onProgress();
  }

  /** The resources of the newest configuration are those that the proxy has, or is being sent. */
  unchanged(set: ResourceSet, configVersion: string): void {
    this.#held.keep(set, this.isUnanswered);
    // None of these resources belongs to a changed cluster.
    this.warming = undefined;
    if (!this.isUnanswered) {
      if (this.#rejection !== undefined) {
        this.#isSpared = true;
        this.#onProgress();
      }
      this.#rejection = undefined;
    }
    this.unaffected(configVersion);
  }

  /** The stream has ended, and no longer counts what the subscription keeps. */
  release(): void {
    for (const names of [this.#encodedNames, this.#subscribed, this.#asked]) this.#account.replace(names, undefined);
    this.#held.release();
  }

  snapshot(): WatchSnapshot {
    const ackedVersion = this.#ackedVersion === '' ? this.#heldVersion : this.#ackedVersion;
    return {
      typeUrl: this.provider.typeUrl,
      resourceNames: this.names?.names ?? [],
      // No answer to a rejected response is expected: the proxy would wait forever.
      sentNonce: this.#isSpared ? this.#ackedNonce : this.sentNonce,
      ackedNonce: this.#ackedNonce,
      sentVersion: this.#isSpared ? ackedVersion : (this.#response?.version ?? this.#heldVersion),
      ackedVersion,
      ackedConfigVersion: this.#ackedConfigVersion,
      ...(this.#rejection === undefined ? {} : { rejection: this.#rejection }),
      ...(this.#response === undefined ? {} : { sentAt: this.#response.at }),
    };
  }
}
