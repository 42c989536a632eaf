import type { ServiceView } from '../push-context.js';
import type { Service } from '../service.js';

/** The services of a view, with their addresses in one cluster. */
export interface ClusterViews {
  /** The view itself where the cluster makes no difference; the same result for as long as the view lives. */
  viewIn(view: ServiceView, cluster: string): ServiceView;
}

/**
 * A proxy gets the virtual IPs of its own cluster, if that has the service. Clusters may assign one address to
 * different services, so services that the cluster does not have come last regardless of age: its own service wins the
 * address.
 *
 * @param ownCluster has all Services that name no cluster
 */
export function createClusterViews(ownCluster: string): ClusterViews {
  const views = new WeakMap<ServiceView, Map<string, ServiceView>>();
  const variants = new WeakMap<Service, Map<string, Service>>();

  const serviceIn = (service: Service, cluster: string): Service => {
    const addresses = service.headless ? [] : (service.byCluster?.get(cluster)?.addresses ?? []);
    const key = addresses.join();
    if (addresses.length === 0 || key === service.addresses.join()) return service;
    let known = variants.get(service);
    if (known === undefined) {
      known = new Map();
      variants.set(service, known);
    }
    const variant = known.get(key) ?? { ...service, addresses };
    known.set(key, variant);
    return variant;
  };

  const isIn = ({ registry, byCluster }: Service, cluster: string): boolean =>
    registry !== 'Orchestrator' || (byCluster === undefined ? cluster === ownCluster : byCluster.has(cluster));

  const build = (view: ServiceView, cluster: string): ServiceView => {
    const own: Service[] = [];
    const foreign: Service[] = [];
    for (const service of view.services) {
      if (isIn(service, cluster)) own.push(serviceIn(service, cluster));
      else foreign.push(service);
    }
    const services = [...own, ...foreign];
    const isSame = services.every((service, index) => service === view.services[index]);
    return isSame ? view : { id: `${view.id}@${cluster}`, services };
  };

  return {
    viewIn: (view, cluster) => {
      let known = views.get(view);
      if (known === undefined) {
        known = new Map();
        views.set(view, known);
      }
      const found = known.get(cluster) ?? build(view, cluster);
      known.set(cluster, found);
      return found;
    },
  };
}
