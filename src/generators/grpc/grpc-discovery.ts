import { isIpAddress } from '../../base/ip-address.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { Service } from '../../model/service.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import { type EndpointFilter, visibleEndpoints } from '../endpoints/visible-endpoints.js';

/** How a gRPC client finds the endpoints of a cluster. */
export type GrpcDiscovery =
  /** From the control plane. */
  | { readonly type: 'endpoints' }
  /** By resolving one name. */
  | { readonly type: 'dns'; readonly address: string; readonly port: number };

type Place = Pick<EndpointFilter, 'networkView' | 'cluster'>;

/**
 * gRPC takes IP addresses from the control plane, or resolves one name (gRFC A37). Of several names it gets the first.
 *
 * @returns undefined where there is neither: the host is a wildcard, and nothing says where it is
 */
export function grpcDiscovery(
  service: Service,
  { port, destination }: ServiceCluster,
  endpoints: ServiceEndpoints | undefined,
): GrpcDiscovery | undefined {
  if (service.resolution === 'endpoints') return { type: 'endpoints' };
  const filter: EndpointFilter & Place = {
    portName: port.name,
    labels: destination.subset.labels,
    networkView: undefined,
    cluster: undefined,
  };
  const known = endpoints === undefined ? [] : visibleEndpoints(endpoints, filter);
  if (service.headless || (known.length > 0 && known.every(({ address }) => isIpAddress(address)))) {
    return { type: 'endpoints' };
  }
  const named = known.filter(({ address }) => !isIpAddress(address) && !address.startsWith('unix:'));
  const [first] = named.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  if (first !== undefined) return { type: 'dns', address: first.address, port: first.port };
  const { hostname, externalName = hostname } = service;
  return externalName.startsWith('*') ? undefined : { type: 'dns', address: externalName, port: port.number };
}
