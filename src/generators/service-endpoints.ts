import type { ServiceEndpoints } from '../model/endpoint.js';
import type { PushContext, ServiceView } from '../model/push-context.js';
import type { Service } from '../model/service.js';

/**
 * The endpoints of a service. A snapshot has those of one service per host: where several namespaces claim a
 * host, a proxy that sees another of them must not be sent to workloads that it cannot see.
 */
export function endpointsOfService(context: PushContext, service: Service): ServiceEndpoints | undefined {
  const endpoints = context.endpoints.get(service.hostname);
  return endpoints?.namespace === service.namespace ? endpoints : undefined;
}

/** Services of a view by host, for those hosts that are another service in the mesh at large. */
export type OwnServices = ReadonlyMap<string, Service>;

/** Compares a view with the mesh once for as long as both have the same services. */
export function createOwnServiceLookup(): (context: PushContext, view: ServiceView) => OwnServices {
  const known = new WeakMap<ServiceView, { readonly mesh: PushContext['servicesByHost']; readonly own: OwnServices }>();
  return ({ servicesByHost }, view) => {
    const remembered = known.get(view);
    if (remembered?.mesh === servicesByHost) return remembered.own;
    const own = new Map<string, Service>();
    for (const service of view.services) {
      if (servicesByHost.get(service.hostname) !== service) own.set(service.hostname, service);
    }
    known.set(view, { mesh: servicesByHost, own });
    return own;
  };
}
