import { hash } from 'node:crypto';
import type { ServiceView } from '../push-context.js';
import type { Service } from '../service.js';
import { compareServices } from '../service-order.js';
import { replaceSorted } from '../sorted-array.js';

/** The services that all namespaces see, one per host. */
export interface PublicServices {
  /** Its id changes with its content. */
  readonly view: ServiceView;
  readonly byHost: ReadonlyMap<string, Service>;
}

/**
 * The services that each namespace sees. Immutable. A view is built on first use, and taken from the previous snapshot
 * while its content is the same.
 */
export class ServiceViews {
  readonly #public: PublicServices;
  readonly #overrides: ReadonlyMap<string, readonly Service[]>;
  readonly #numberOf: (service: Service) => number;
  readonly #byNamespace = new Map<string, ServiceView>();
  readonly #byId = new Map<string, ServiceView>();
  readonly #inherited: ReadonlyMap<string, ServiceView>;

  /**
   * @param overrides by namespace: services that it sees beside the public ones, or instead of a public one of the same
   *   host
   * @param numberOf a number that no two service objects share
   */
  constructor(
    publicServices: PublicServices,
    overrides: ReadonlyMap<string, readonly Service[]>,
    numberOf: (service: Service) => number,
    previous?: ServiceViews,
  ) {
    this.#public = publicServices;
    this.#overrides = overrides;
    this.#numberOf = numberOf;
    this.#inherited = previous === undefined ? new Map() : previous.#byId;
  }

  viewOf(namespace: string): ServiceView {
    const overrides = this.#overrides.get(namespace);
    if (overrides === undefined) return this.#public.view;
    const known = this.#byNamespace.get(namespace);
    if (known !== undefined) return known;
    const numbers = overrides.map(this.#numberOf).sort((first, second) => first - second);
    const id = `${this.#public.view.id}.${hash('sha256', numbers.join(), 'base64url').slice(0, 16)}`;
    const view = this.#view(id, overrides);
    this.#byNamespace.set(namespace, view);
    return view;
  }

  #view(id: string, overrides: readonly Service[]): ServiceView {
    let view = this.#byId.get(id) ?? this.#inherited.get(id);
    if (view === undefined) {
      const hidden = new Set<Service>();
      for (const { hostname } of overrides) {
        const service = this.#public.byHost.get(hostname);
        if (service !== undefined) hidden.add(service);
      }
      view = { id, services: replaceSorted(this.#public.view.services, hidden, overrides, compareServices) };
    }
    this.#byId.set(id, view);
    return view;
  }
}
