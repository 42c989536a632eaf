import { PUSH_ORDER } from '../envoy/type-urls.js';
import type { HeldRoot } from './limits/held-roots.js';
import { LimitError, type XdsLimits } from './limits/xds-limits.js';
import type { KnownNames } from './request-wire.js';
import type { ResourceProvider } from './resource-provider.js';
import { WatchedResource } from './watched-resource.js';

/** The types that one stream subscribes to. */
export class Subscriptions {
  readonly #byType = new Map<string, WatchedResource>();
  readonly #onProgress: () => void;

  /** @param onProgress called after the proxy acknowledged or rejected resources that statuses show */
  constructor(onProgress: () => void) {
    this.#onProgress = onProgress;
  }

  get(typeUrl: string): WatchedResource | undefined {
    return this.#byType.get(typeUrl);
  }

  add(provider: ResourceProvider): WatchedResource {
    const watched = new WatchedResource(provider, provider.isPrivate ? () => undefined : this.#onProgress);
    this.#byType.set(provider.typeUrl, watched);
    return watched;
  }

  /** In the order of their subscription. */
  values(): Iterable<WatchedResource> {
    return this.#byType.values();
  }

  /** The types that a push orders first, then the others in the order of their subscription. */
  *inPushOrder(): Iterable<WatchedResource> {
    for (const typeUrl of PUSH_ORDER) {
      const watched = this.#byType.get(typeUrl);
      if (watched !== undefined) yield watched;
    }
    for (const [typeUrl, watched] of this.#byType) if (!PUSH_ORDER.includes(typeUrl)) yield watched;
  }

  get isReady(): boolean {
    for (const watched of this.#byType.values()) if (watched.isReady) return true;
    return false;
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
    for (const other of this.#byType.values()) if (other !== watched) all += other.names?.names.length ?? 0;
    if (all > limits.streamNames) {
      const what = `the subscriptions of the stream name ${all} resources, more than ${limits.streamNames}`;
      throw new LimitError('streamNames', what);
    }
  }

  /** Reports what the stream keeps in memory for its types. */
  tellHeld(add: (root: HeldRoot) => void): void {
    for (const watched of this.#byType.values()) watched.tellHeld(add);
  }

  /** Forgets all subscriptions, and the resources that were sent. */
  clear(): void {
    this.#byType.clear();
  }
}
