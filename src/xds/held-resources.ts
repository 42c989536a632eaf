import type { ResourceSet } from '../envoy/resource-set.js';
import type { PeerStream } from './limits/peers.js';

/**
 * The resources that a proxy may have after it rejected a response, or did not answer it in time. Undefined if they are
 * not known.
 *
 * @param before the resources that it had
 * @param sent the resources that it has if it accepted the response
 */
export type AfterDoubt = (
  before: ResourceSet | undefined,
  sent: ResourceSet | undefined,
  doubt: 'rejected' | 'unanswered',
) => ResourceSet | undefined;

/** State of the world: a proxy keeps what it accepted, and the response after an unanswered one has everything. */
export const keepAccepted: AfterDoubt = (before, _sent, doubt) => (doubt === 'rejected' ? before : undefined);

/** The resources of one type that a proxy has, as its answers show them: sent, accepted, rejected. */
export class HeldResources {
  readonly #account: Pick<PeerStream, 'replace'>;
  readonly #afterDoubt: AfterDoubt;
  #sent: ResourceSet | undefined;
  #accepted: ResourceSet | undefined;
  #rejected: ResourceSet | undefined;
  #isUncertain = false;

  /** @param account counts the sets in memory, whenever one of them changes */
  constructor(account: Pick<PeerStream, 'replace'>, afterDoubt: AfterDoubt) {
    this.#account = account;
    this.#afterDoubt = afterDoubt;
  }

  /** The resources that the proxy has once it accepts the newest response. */
  get sent(): ResourceSet | undefined {
    return this.#sent;
  }

  /** The resources that the proxy accepted last; undefined if it accepted none, or may have others instead. */
  get accepted(): ResourceSet | undefined {
    return this.#accepted;
  }

  /** Rejected by the proxy, which has not accepted another set since. */
  get rejected(): ResourceSet | undefined {
    return this.#rejected;
  }

  /** A response was sent without the answer to the one before, and none was accepted since. */
  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  /** The resources that the proxy may have, if it does not answer the newest response. */
  get afterNoAnswer(): ResourceSet | undefined {
    return this.#afterDoubt(this.#accepted, this.#sent, 'unanswered');
  }

  /** The proxy starts without resources. */
  clear(): void {
    this.#setSent(undefined);
    this.#setAccepted(undefined);
    this.#setRejected(undefined);
    this.#isUncertain = false;
  }

  /** Corrects the resources that the proxy has: it had them before it connected, or has dropped others. */
  correct(change: (set: ResourceSet | undefined) => ResourceSet | undefined): void {
    this.#setSent(change(this.#sent));
    this.#setAccepted(change(this.#accepted));
  }

  /** A response has these resources. @param isOverdue whether the one before was not answered in time */
  send(set: ResourceSet, isOverdue: boolean): void {
    if (isOverdue) {
      this.#isUncertain = true;
      this.#setAccepted(this.afterNoAnswer);
    }
    this.#setSent(set);
  }

  /** The proxy accepted the newest response. */
  accept(): void {
    this.#isUncertain = false;
    this.#setAccepted(this.#sent);
    this.#setRejected(undefined);
  }

  /** The proxy rejected the newest response, and keeps the resources that it accepted last. */
  reject(): void {
    this.#setRejected(this.#sent);
    this.#setAccepted(this.#afterDoubt(this.#accepted, this.#sent, 'rejected'));
    this.#setSent(this.#accepted);
  }

  /** The proxy has these resources without a response, or gets them by the newest one. */
  keep(set: ResourceSet, isUnanswered: boolean): void {
    this.#setSent(set);
    if (isUnanswered) return;
    this.#setAccepted(set);
    this.#setRejected(undefined);
  }

  /** The stream has ended, and no longer counts the sets. */
  release(): void {
    for (const set of [this.#sent, this.#accepted, this.#rejected]) this.#account.replace(set, undefined);
  }

  #setSent(set: ResourceSet | undefined): void {
    this.#sent = this.#account.replace(this.#sent, set);
  }

  #setAccepted(set: ResourceSet | undefined): void {
    this.#accepted = this.#account.replace(this.#accepted, set);
  }

  #setRejected(set: ResourceSet | undefined): void {
    this.#rejected = this.#account.replace(this.#rejected, set);
  }
}
