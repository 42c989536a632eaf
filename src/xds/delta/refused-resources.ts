import { createResourceSet, type ResourceDiff, type ResourceSet, resourceOf } from '../../envoy/resource-set.js';
import { hasName, type NameSet } from '../../push/name-set.js';

/**
 * The resources of a rejected response, as far as the proxy has not got them since. One invalid virtual host would
 * otherwise come with the answer to every later request, and the proxy would reject these answers too.
 */
export class RefusedResources {
  readonly #sent = new Map<string, ResourceDiff>();
  /** By type: the version of each resource. */
  readonly #refused = new Map<string, ReadonlyMap<string, string>>();

  /** A response leaves. */
  sent(typeUrl: string, change: ResourceDiff): void {
    this.#sent.set(typeUrl, change);
    const refused = this.#refused.get(typeUrl);
    if (refused === undefined) return;
    const left = new Map(refused);
    for (const { name } of change.changed) left.delete(name);
    if (left.size === 0) this.#refused.delete(typeUrl);
    else this.#refused.set(typeUrl, left);
  }

  /** The proxy has rejected the newest response. */
  rejected(typeUrl: string): void {
    const before = this.#refused.get(typeUrl) ?? [];
    const changed = this.#sent.get(typeUrl)?.changed ?? [];
    this.#refused.set(typeUrl, new Map([...before, ...changed.map(({ name, version }) => [name, version] as const)]));
  }

  /**
   * The change without resources that the proxy rejected in the same version, and did not ask for again.
   *
   * @returns the same object if it has none of these
   */
  without(typeUrl: string, change: ResourceDiff, asked: NameSet | undefined): ResourceDiff {
    const refused = this.#refused.get(typeUrl);
    if (refused === undefined) return change;
    const kept = change.changed.filter(
      ({ name, version }) => refused.get(name) !== version || (asked !== undefined && hasName(asked, name)),
    );
    return kept.length === change.changed.length ? change : { changed: kept, removed: change.removed };
  }
}

/** The resources that the proxy has after a response without some of the changes. */
export function withoutChanges(
  before: ResourceSet,
  set: ResourceSet,
  all: ResourceDiff,
  sent: ResourceDiff,
): ResourceSet {
  const names = new Set(all.changed.map(({ name }) => name));
  for (const { name } of sent.changed) names.delete(name);
  return createResourceSet(
    set.resources.flatMap((resource) =>
      names.has(resource.name) ? (resourceOf(before, resource.name) ?? []) : [resource],
    ),
  );
}
