import type { ServiceEndpoints } from '../endpoint.js';
import type { PushContext } from '../push-context.js';
import type { Service } from '../service.js';

/**
 * The endpoints of this service. Where several namespaces claim a host, a namespace may see another service of that
 * host than the rest of the mesh (ServiceView), with endpoints of its own.
 */
export function endpointsOf(
  { endpoints }: Pick<PushContext, 'endpoints'>,
  service: Service,
): ServiceEndpoints | undefined {
  const ofHost = endpoints.get(service.hostname);
  return ofHost === undefined || ofHost.namespace === service.namespace ? ofHost : endpoints.get(shadowedKey(service));
}

/** `<hostname>/<namespace>`, neither of which has a slash. */
export function shadowedKey({ hostname, namespace }: Pick<Service, 'hostname' | 'namespace'>): string {
  return `${hostname}/${namespace}`;
}
