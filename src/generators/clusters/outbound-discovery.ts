import type { ProxyType } from '../../model/proxy.js';
import type { Service } from '../../model/service.js';
import type { ClusterPolicy } from '../../model/traffic/cluster-policy.js';

/** How a proxy gets the endpoints of an outbound cluster. */
export type OutboundDiscovery = 'eds' | 'dns' | 'originalDestination';

/**
 * A sidecar keeps the address that its application connected to where the service or the policy says so, and for headless
 * services, whose clients choose the pod themselves. A router has no such address to keep: the connection was made to the
 * router itself.
 *
 * @param edsForHeadless NAV_ENABLE_EDS_FOR_HEADLESS_SERVICES
 */
export function outboundDiscovery(
  service: Pick<Service, 'resolution' | 'headless'>,
  { loadBalancer }: Pick<ClusterPolicy, 'loadBalancer'>,
  proxyType: ProxyType,
  edsForHeadless: boolean,
): OutboundDiscovery {
  if (proxyType === 'sidecar' && loadBalancer.type === 'originalDestination') return 'originalDestination';
  if (service.resolution === 'dns') return 'dns';
  if (proxyType === 'router') return 'eds';
  if (service.headless) return edsForHeadless ? 'eds' : 'originalDestination';
  return service.resolution === 'passthrough' ? 'originalDestination' : 'eds';
}
