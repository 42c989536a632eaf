import { PUSH_ORDER } from '../envoy/type-urls.js';
import type { HeldRoot } from './limits/held-objects.js';
import type { KnownNames } from './request-wire.js';
import type { Watch } from './watch.js';

/** The types that one stream subscribes to. */
export class Watches {
  readonly #byType = new Map<string, Watch>();

  get(typeUrl: string): Watch | undefined {
    return this.#byType.get(typeUrl);
  }

  add(watch: Watch): Watch {
    this.#byType.set(watch.generator.typeUrl, watch);
    return watch;
  }

  /** In the order of their subscription. */
  values(): Iterable<Watch> {
    return this.#byType.values();
  }

  /** Types that a push orders first, then the rest in the order of their subscription. */
  *inPushOrder(): Iterable<Watch> {
    for (const typeUrl of PUSH_ORDER) {
      const watch = this.#byType.get(typeUrl);
      if (watch !== undefined) yield watch;
    }
    for (const [typeUrl, watch] of this.#byType) if (!PUSH_ORDER.includes(typeUrl)) yield watch;
  }

  get isReady(): boolean {
    return [...this.#byType.values()].some((watch) => watch.isReady);
  }

  /** Lists of names that are recognised by their bytes. */
  knownNames(): readonly KnownNames[] {
    const known: KnownNames[] = [];
    for (const { encodedNames } of this.#byType.values()) {
      if (encodedNames?.bytes !== undefined) known.push({ bytes: encodedNames.bytes, count: encodedNames.count });
    }
    return known;
  }

  /** Names in the subscriptions of all types but one. */
  namesBeside(watch: Watch | undefined): number {
    let names = 0;
    for (const other of this.#byType.values()) if (other !== watch) names += other.names?.names.length ?? 0;
    return names;
  }

  /** Tells what the stream keeps in memory for its types. */
  tellHeld(add: (root: HeldRoot) => void): void {
    for (const watch of this.#byType.values()) watch.tellHeld(add);
  }
}
