import type { ObjectKey } from '../../config/object.js';
import type { Progress } from '../conditions/object-facts.js';
import type { DistributionReport } from './distribution-report.js';

/**
 * The distribution of one generation of an object over all instances. An instance that has another generation, or has
 * not read the object, counts as lagging: its proxies count as proxies without the object.
 */
export function aggregateProgress(
  reports: readonly DistributionReport[],
  key: ObjectKey,
  generation: string,
): Progress {
  const total = { proxies: 0, ackedProxies: 0, policyServers: 0, ackedPolicyServers: 0 };
  const lagging: string[] = [];
  const rejections: Progress['rejections'][number][] = [];
  for (const { reporter, progress } of reports) {
    const object = progress.objects.get(key);
    total.proxies += object?.proxies ?? 0;
    total.policyServers += object?.policyServers ?? 0;
    if (object?.version !== generation) {
      lagging.push(reporter);
      continue;
    }
    total.ackedProxies += object.ackedProxies;
    total.ackedPolicyServers += object.ackedPolicyServers;
    rejections.push(...object.rejections);
  }
  return { ...total, lagging: lagging.sort(), rejections };
}
