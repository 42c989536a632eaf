import type { ResourceDiff } from '../envoy/resource-set.js';
import { PUSH_ORDER, TypeUrl } from '../envoy/type-urls.js';
import type { AfterDoubt } from './held-resources.js';
import type { PeerStream } from './limits/peers.js';
import { LimitError, type XdsLimits } from './limits/xds-limits.js';
import type { KnownNames } from './request-wire.js';
import type { ResourceProvider } from './resource-provider.js';
import { WatchedResource } from './watched-resource.js';

/** The types that one stream subscribes to. */
export class Subscriptions {
  readonly #byType = new Map<string, WatchedResource>();
  readonly #onProgress: () => void;
  readonly #afterDoubt: AfterDoubt | undefined;
  readonly #account: Pick<PeerStream, 'replace'>;
  /** Clusters that changed before the stream subscribed to endpoints. */
  #warming: ResourceDiff | undefined;
  #ordered: readonly WatchedResource[] | undefined;

  /**
   * @param account counts what the stream keeps in memory
   * @param onProgress called after the proxy acknowledged or rejected resources that statuses show
   */
  constructor(account: Pick<PeerStream, 'replace'>, onProgress: () => void, afterDoubt?: AfterDoubt) {
    this.#account = account;
    this.#onProgress = onProgress;
    this.#afterDoubt = afterDoubt;
  }

  get(typeUrl: string): WatchedResource | undefined {
    return this.#byType.get(typeUrl);
  }

  add(provider: ResourceProvider): WatchedResource {
    const onProgress = provider.isPrivate ? () => undefined : this.#onProgress;
    const watched = new WatchedResource(provider, this.#account, onProgress, this.#afterDoubt);
    if (provider.typeUrl === TypeUrl.endpoint) {
      watched.warming = this.#warming;
      this.#warming = undefined;
    }
    this.#byType.set(provider.typeUrl, watched);
    this.#ordered = undefined;
    return watched;
  }

  /**
   * Clusters have changed: they stay out of use until their endpoints arrive again, changed or not.
   *
   * @param join joins clusters that changed in several responses
   */
  warm(clusters: ResourceDiff, join: (first: ResourceDiff, second: ResourceDiff) => ResourceDiff): void {
    const endpoints = this.#byType.get(TypeUrl.endpoint);
    const before = endpoints === undefined ? this.#warming : endpoints.warming;
    const all = before === undefined || before.changed.length === 0 ? clusters : join(before, clusters);
    if (endpoints === undefined) {
      this.#warming = all;
      return;
    }
    endpoints.warming = all;
    endpoints.want('ifChanged');
  }

  /** In the order of their subscription. */
  values(): Iterable<WatchedResource> {
    return this.#byType.values();
  }

  /**
   * The types that a push orders first, then the others in the order of their subscription.
   *
   * @param again types that follow once more at the end; always the same for one stream
   */
  inPushOrder(again: readonly string[] = []): readonly WatchedResource[] {
    if (this.#ordered === undefined) {
      const ordered = [...this.#byType.values()].sort((a, b) => placeInPush(a) - placeInPush(b));
      this.#ordered = [...ordered, ...again.flatMap((typeUrl) => this.#byType.get(typeUrl) ?? [])];
    }
    return this.#ordered;
  }

  /** Lists of names that a request may repeat, as encoded. */
  knownNames(): readonly KnownNames[] {
    const known: KnownNames[] = [];
    for (const { encodedNames } of this.#byType.values()) {
      if (encodedNames?.bytes !== undefined) known.push({ bytes: encodedNames.bytes, count: encodedNames.count });
    }
    return known;
  }

  /**
   * Checks the number of names that a subscription is about to have.
   *
   * @param watched the subscription; undefined for a new one
   * @throws LimitError
   */
  checkNames(watched: WatchedResource | undefined, count: number, limits: XdsLimits): void {
    if (count > limits.names) {
      throw new LimitError('names', `the request names ${count} resources, more than ${limits.names}`);
    }
    let all = count;
    for (const other of this.#byType.values())
      if (other !== watched) all += (other.subscribed?.set ?? other.names)?.names.length ?? 0;
    if (all > limits.streamNames) {
      const what = `the subscriptions of the stream name ${all} resources, more than ${limits.streamNames}`;
      throw new LimitError('streamNames', what);
    }
  }

  /** Forgets all subscriptions, and the resources that were sent. */
  clear(): void {
    for (const watched of this.#byType.values()) watched.release();
    this.#byType.clear();
    this.#ordered = undefined;
  }
}

function placeInPush({ provider }: WatchedResource): number {
  const place = PUSH_ORDER.indexOf(provider.typeUrl);
  return place === -1 ? PUSH_ORDER.length : place;
}
