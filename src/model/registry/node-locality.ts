import { joinLocality } from './workload.js';

/** The locality that a Node's topology labels state, the stable names before the old ones. */
export function nodeLocality(labels: Readonly<Record<string, string>>): string {
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return joinLocality(region, zone);
}
