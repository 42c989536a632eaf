import type { PushContext } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { endpointsOf } from '../../../model/snapshot/endpoints-of.js';
import { parseServiceAddress } from '../../address-families.js';
import { readsEndpoints } from '../outbound/service-claims.js';

/** Both families are answered: a resolver asks for the one that it wants. */
const ALL_FAMILIES = { ipv4: true, ipv6: true };

/**
 * The names that DNS capture answers for a service: its host; for orchestrator services also `name.ns`, and the
 * bare name in the same namespace (BEHAVIOUR 5, "Sidecar listeners"). None for wildcard hosts.
 *
 * @param sameNamespace whether the proxy is in the service's namespace
 */
export function dnsNames(service: Service, sameNamespace: boolean): string[] {
  if (service.hostname.startsWith('*')) return [];
  const names = [service.hostname];
  if (service.registry === 'Orchestrator') {
    names.push(`${service.name}.${service.namespace}`);
    if (sameNamespace) names.push(service.name);
  }
  return names.map((name) => name.toLowerCase());
}

/** The addresses in the answer, sorted; a headless service's are those of its endpoints. */
export function dnsAddresses(context: PushContext, service: Service): string[] {
  const addresses = new Set<string>();
  const add = (text: string) => {
    const address = parseServiceAddress(text, ALL_FAMILIES);
    if (address !== undefined && 'ip' in address) addresses.add(address.ip);
  };
  for (const address of service.addresses) add(address);
  if (service.addresses.length === 0 && service.autoAddress !== undefined && service.resolution !== 'passthrough') {
    add(service.autoAddress);
  }
  if (readsEndpoints(service)) {
    for (const endpoints of endpointsOf(context, service)?.shards.values() ?? []) {
      for (const endpoint of endpoints) add(endpoint.address);
    }
  }
  return [...addresses].sort();
}
