import type { Finding } from '../finding.js';
import type { ServiceClaim } from '../registry/service-claim.js';
import { compareText } from '../service-order.js';
import { canJoin } from './join-entries.js';
import { seenTogether } from './visibility.js';

/**
 * Reports a host that several objects claim where one namespace sees more than one of them: it can have one
 * cluster of that name only. A ServiceEntry that adds endpoints to a Service of its own namespace is no
 * conflict, and neither are entries of one namespace that can be joined, or a Service that several clusters have.
 */
export function duplicateHosts(hostname: string, claims: readonly ServiceClaim[]): readonly Finding[] {
  const sources = new Set<string>();
  for (const [index, { service: first }] of claims.entries()) {
    for (const { service: second } of claims.slice(index + 1)) {
      const areEntries = first.registry === 'External' && second.registry === 'External';
      if (first.namespace === second.namespace && (!areEntries || canJoin(first, second))) continue;
      if (first.source !== second.source && seenTogether(first, second)) sources.add(first.source).add(second.source);
    }
  }
  if (sources.size === 0) return [];
  const names = [...sources].sort(compareText).join(', ');
  const message = `Host ${hostname} is claimed by ${names}: each namespace is served one of them, its own first, then the oldest; remove the others or limit their exportTo`;
  return [{ metric: 'nav_duplicate_proxy_clusters', key: hostname, message }];
}
