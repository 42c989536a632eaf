import type { PushContext } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { endpointsOf } from '../../../model/snapshot/endpoints-of.js';
import { parseServiceAddress } from '../../address-families.js';
import { readsEndpoints } from '../outbound/service-bindings.js';

/** Answers have both families: a resolver asks for the one that it needs. */
const ALL_FAMILIES = { ipv4: true, ipv6: true };

/** The addresses of the answer, sorted: those of the service, and for a headless service those of its endpoints. */
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
