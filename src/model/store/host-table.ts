import { addTo, removeFrom } from '../../base/set-map.js';
import { type BucketedMap, BucketedMapWriter } from '../bucketed-map.js';
import type { Service } from '../service.js';
import { compareServices, compareText } from '../service-order.js';
import { type PublicServices, ServiceViews } from '../snapshot/service-views.js';
import { replaceSorted } from '../sorted-array.js';
import { compareCandidates } from './merge-contributions.js';
import { exportedNamespaces, isPublic, isVisibleTo } from './visibility.js';

/** A sorted array, updated by the differences since the last read. */
interface SortedServices {
  services: readonly Service[];
  readonly removed: Set<Service>;
  readonly added: Set<Service>;
}

/**
 * One service per host, for the mesh and for each namespace. Where several namespaces claim a host, a namespace sees
 * its own service first, then the first of those exported to it.
 */
export class HostTable {
  readonly #candidates = new Map<string, readonly Service[]>();
  readonly #winners = new BucketedMapWriter<Service>();
  readonly #shadowed = new BucketedMapWriter<readonly Service[]>();
  readonly #public = new BucketedMapWriter<Service>();
  readonly #sortedWinners: SortedServices = { services: [], removed: new Set(), added: new Set() };
  readonly #sortedPublic: SortedServices = { services: [], removed: new Set(), added: new Set() };
  #publicVersion = 0;
  #publicServices: PublicServices = { view: { id: '0', services: this.#sortedPublic.services }, byHost: new Map() };
  /** Hosts for which some namespaces see another service. */
  readonly #specialHosts = new Map<string, Set<string>>();
  readonly #dirtyNamespaces = new Set<string>();
  #overrides: ReadonlyMap<string, readonly Service[]> = new Map();
  readonly #numbers = new WeakMap<Service, number>();
  #lastNumber = 0;
  #views: ServiceViews | undefined;

  /**
   * @param candidates the services of that host, one per namespace; empty when it is gone
   * @returns the service of the host for the mesh as a whole
   */
  update(hostname: string, candidates: readonly Service[]): Service | undefined {
    const previous = this.#candidates.get(hostname) ?? [];
    const next = candidates.toSorted(compareCandidates);
    if (next.length === 0) this.#candidates.delete(hostname);
    else this.#candidates.set(hostname, next);
    const forAll = next.find(isPublic);
    const winner = forAll ?? next[0];
    this.#updateShadowed(
      hostname,
      next.filter((service) => service !== winner),
    );
    this.#put(this.#public, this.#sortedPublic, hostname, forAll);
    this.#put(this.#winners, this.#sortedWinners, hostname, winner);
    this.#updateSpecial(hostname, specialNamespaces(previous), specialNamespaces(next));
    return winner;
  }

  get winners(): BucketedMap<Service> {
    return this.#winners.snapshot();
  }

  /** By host, the services that did not win it; hosts with one service are left out. */
  get shadowed(): BucketedMap<readonly Service[]> {
    return this.#shadowed.snapshot();
  }

  /** Sorted by hostname. */
  sorted(): readonly Service[] {
    return flush(this.#sortedWinners, (first, second) => compareText(first.hostname, second.hostname));
  }

  views(): ServiceViews {
    const known = this.#publicServices;
    const services = flush(this.#sortedPublic, compareServices);
    if (services !== known.view.services) {
      const view = { id: String(++this.#publicVersion), services };
      this.#publicServices = { view, byHost: this.#public.snapshot() };
    }
    const overrides = this.#flushOverrides();
    if (this.#views === undefined || this.#publicServices !== known || overrides !== this.#overrides) {
      const numberOf = (service: Service): number => this.#numberOf(service);
      this.#views = new ServiceViews(this.#publicServices, overrides, numberOf, this.#views);
    }
    this.#overrides = overrides;
    return this.#views;
  }

  #updateShadowed(hostname: string, services: readonly Service[]): void {
    const known = this.#shadowed.get(hostname) ?? [];
    if (known.length === services.length && services.every((service, index) => service === known[index])) return;
    if (services.length === 0) this.#shadowed.delete(hostname);
    else this.#shadowed.set(hostname, services);
  }

  #put(
    table: BucketedMapWriter<Service>,
    { added, removed }: SortedServices,
    hostname: string,
    service: Service | undefined,
  ): void {
    const previous = table.get(hostname);
    if (previous === service) return;
    if (previous !== undefined && !added.delete(previous)) removed.add(previous);
    if (service === undefined) {
      table.delete(hostname);
      return;
    }
    table.set(hostname, service);
    if (!removed.delete(service)) added.add(service);
  }

  #updateSpecial(hostname: string, previous: ReadonlySet<string>, next: ReadonlySet<string>): void {
    for (const namespace of previous) {
      if (!next.has(namespace)) removeFrom(this.#specialHosts, namespace, hostname);
      this.#dirtyNamespaces.add(namespace);
    }
    for (const namespace of next) {
      addTo(this.#specialHosts, namespace, hostname);
      this.#dirtyNamespaces.add(namespace);
    }
  }

  #flushOverrides(): ReadonlyMap<string, readonly Service[]> {
    if (this.#dirtyNamespaces.size === 0) return this.#overrides;
    const overrides = new Map(this.#overrides);
    let isChanged = false;
    for (const namespace of this.#dirtyNamespaces) {
      const known = overrides.get(namespace);
      const next = this.#overridesOf(namespace);
      if (known?.length === next.length && next.every((service, index) => service === known[index])) continue;
      if (next.length === 0) isChanged = overrides.delete(namespace) || isChanged;
      else {
        overrides.set(namespace, next);
        isChanged = true;
      }
    }
    this.#dirtyNamespaces.clear();
    return isChanged ? overrides : this.#overrides;
  }

  #overridesOf(namespace: string): readonly Service[] {
    const services: Service[] = [];
    for (const hostname of this.#specialHosts.get(namespace) ?? []) {
      const visible = (this.#candidates.get(hostname) ?? []).filter((service) => isVisibleTo(service, namespace));
      const service = visible.find((candidate) => candidate.namespace === namespace) ?? visible[0];
      if (service !== undefined && service !== this.#public.get(hostname)) services.push(service);
    }
    return services.sort(compareServices);
  }

  #numberOf(service: Service): number {
    let number = this.#numbers.get(service);
    if (number === undefined) {
      number = ++this.#lastNumber;
      this.#numbers.set(service, number);
    }
    return number;
  }
}

function specialNamespaces(candidates: readonly Service[]): ReadonlySet<string> {
  const namespaces = new Set<string>();
  if (candidates.length === 1 && isPublic(candidates[0] as Service)) return namespaces;
  for (const service of candidates) {
    if (isPublic(service)) namespaces.add(service.namespace);
    else for (const namespace of exportedNamespaces(service)) namespaces.add(namespace);
  }
  return namespaces;
}

function flush(sorted: SortedServices, compare: (first: Service, second: Service) => number): readonly Service[] {
  if (sorted.removed.size > 0 || sorted.added.size > 0) {
    sorted.services = replaceSorted(sorted.services, sorted.removed, [...sorted.added], compare);
    sorted.removed.clear();
    sorted.added.clear();
  }
  return sorted.services;
}
