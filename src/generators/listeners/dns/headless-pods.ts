import type { PushContext } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { endpointsOf } from '../../../model/snapshot/endpoints-of.js';
import { readsEndpoints } from '../outbound/service-bindings.js';

/**
 * The addresses of the pods of a headless service, by their host names; both sorted. Empty for services that proxies
 * call at an address of the service.
 */
export function headlessPods(
  context: PushContext,
  service: Service,
): readonly (readonly [pod: string, addresses: readonly string[]])[] {
  if (!readsEndpoints(service)) return [];
  const pods = new Map<string, Set<string>>();
  for (const endpoints of endpointsOf(context, service)?.shards.values() ?? []) {
    for (const { hostname, address } of endpoints) {
      if (hostname === '') continue;
      const addresses = pods.get(hostname) ?? new Set();
      pods.set(hostname, addresses.add(address));
    }
  }
  return [...pods]
    .map(([pod, addresses]) => [pod, [...addresses].sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
