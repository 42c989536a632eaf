import { isIpAddress } from '../../base/ip-address.js';
import type { Endpoint } from '../../model/endpoint.js';
import type { Port, Service } from '../../model/service.js';

/** How a gRPC client finds the endpoints of a cluster. */
export type GrpcDiscovery =
  /** From the control plane. */
  | { readonly type: 'endpoints' }
  /** By resolving one name. */
  | { readonly type: 'dns'; readonly address: string; readonly port: number };

/**
 * gRPC takes IP addresses from the control plane, or resolves one name (gRFC A37). Of several names it gets the first.
 *
 * @param known the endpoints of the cluster
 * @returns undefined where there is neither: the host is a wildcard, and nothing says where it is
 */
export function grpcDiscovery(service: Service, port: Port, known: readonly Endpoint[]): GrpcDiscovery | undefined {
  if (service.resolution === 'endpoints') return { type: 'endpoints' };
  if (service.headless || (known.length > 0 && known.every(({ address }) => isIpAddress(address)))) {
    return { type: 'endpoints' };
  }
  const named = known.filter(({ address }) => !isIpAddress(address) && !address.startsWith('unix:'));
  const [first] = named.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  if (first !== undefined) return { type: 'dns', address: first.address, port: first.port };
  const { hostname, externalName = hostname } = service;
  return externalName.startsWith('*') ? undefined : { type: 'dns', address: externalName, port: port.number };
}
