import { memoize } from '../../../model/memo.js';
import type { ServiceView } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { parseServiceAddress } from '../../address-families.js';

const ALL_FAMILIES = { ipv4: true, ipv6: true };

/** The Services of a view by their cluster IPs; found once for as long as the view lives. */
export function createAddressOwners(): (view: ServiceView) => ReadonlyMap<string, Service> {
  return memoize(findOwners);
}

function findOwners({ services }: ServiceView): ReadonlyMap<string, Service> {
  const owners = new Map<string, Service>();
  for (const service of services) {
    if (service.registry === 'External') continue;
    for (const text of service.addresses) {
      const address = parseServiceAddress(text, ALL_FAMILIES);
      if (address !== undefined && 'ip' in address && !owners.has(address.ip)) owners.set(address.ip, service);
    }
  }
  return owners;
}
