import { hash } from 'node:crypto';
import { appendTo } from '../../base/append-to.js';
import type { ServiceView } from '../push-context.js';
import type { Service } from '../service.js';
import type { HostImports } from './host-imports.js';

/** Restricts views to imported hosts. Equal results are the same view, whichever Sidecars they are for. */
export interface ScopedServices {
  /** The view itself where nothing is left out. */
  restrict(view: ServiceView, imports: HostImports): ServiceView;
}

/** The services of a view by namespace, each list in the order of the view, with their places in it. */
type ByNamespace = ReadonlyMap<string, readonly number[]>;

/** Results for one view. */
interface Restricted {
  readonly byNamespace: ByNamespace;
  readonly byImports: Map<string, ServiceView>;
}

/** Number of results that are remembered beyond the life of the view that they were made from. */
const MAX_REMEMBERED = 10_000;

export function createScopedServices(): ScopedServices {
  const results = new WeakMap<ServiceView, Restricted>();
  const numbers = new WeakMap<Service, number>();
  let lastNumber = 0;
  // Views by content: a change of services that a Sidecar leaves out must not make another view.
  let known = new Map<string, WeakRef<ServiceView>>();

  const numberOf = (service: Service): number => {
    let number = numbers.get(service);
    if (number === undefined) {
      number = ++lastNumber;
      numbers.set(service, number);
    }
    return number;
  };

  const sharedView = (services: readonly Service[]): ServiceView => {
    const id = `scope.${hash('sha256', services.map(numberOf).join(), 'base64url').slice(0, 22)}`;
    const shared = known.get(id)?.deref();
    if (shared !== undefined) return shared;
    const view: ServiceView = { id, services };
    if (known.size >= MAX_REMEMBERED) known = withoutCollected(known);
    known.set(id, new WeakRef(view));
    return view;
  };

  const restrict = (view: ServiceView, byNamespace: ByNamespace, imports: HostImports): ServiceView => {
    const isImported = (service: Service): boolean => imports.imports(service.namespace, service.hostname);
    const services =
      imports.namespaces === undefined
        ? view.services.filter(isImported)
        : placesIn(byNamespace, imports.namespaces)
            .flatMap((place) => view.services[place] ?? [])
            .filter(isImported);
    return services.length === view.services.length ? view : sharedView(services);
  };

  return {
    restrict: (view, imports) => {
      if (imports.isEverything) return view;
      let restricted = results.get(view);
      if (restricted === undefined) {
        restricted = { byNamespace: groupByNamespace(view), byImports: new Map() };
        results.set(view, restricted);
      }
      let result = restricted.byImports.get(imports.key);
      if (result === undefined) {
        result = restrict(view, restricted.byNamespace, imports);
        restricted.byImports.set(imports.key, result);
      }
      return result;
    },
  };
}

function groupByNamespace({ services }: ServiceView): ByNamespace {
  const groups = new Map<string, number[]>();
  for (const [place, { namespace }] of services.entries()) {
    appendTo(groups, namespace, place);
  }
  return groups;
}

function placesIn(byNamespace: ByNamespace, namespaces: readonly string[]): readonly number[] {
  const places = namespaces.flatMap((namespace) => byNamespace.get(namespace) ?? []);
  return namespaces.length < 2 ? places : places.sort((first, second) => first - second);
}

/** Without collected views; empty if all are in use, because the size of the memory must stay bounded. */
function withoutCollected(known: ReadonlyMap<string, WeakRef<ServiceView>>): Map<string, WeakRef<ServiceView>> {
  const live = new Map([...known].filter(([, reference]) => reference.deref() !== undefined));
  return live.size * 2 > MAX_REMEMBERED ? new Map() : live;
}
