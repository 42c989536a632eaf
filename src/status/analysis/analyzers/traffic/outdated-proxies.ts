import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';

/** Workloads whose proxies have another image than the injector gives to new pods: nearly always after an upgrade. */
export function findOutdatedProxies({ settings, workloads }: TrafficIndex): readonly AnalysisMessage[] {
  const wanted = settings.proxyImage;
  if (wanted === undefined) return [];
  return workloads.groups.flatMap(({ object, name, hasProxy, proxyImage }) => {
    if (hasProxy !== true || proxyImage === undefined || proxyImage === wanted) return [];
    const text = `the proxy of the workload ${name} has the image ${proxyImage}, and new pods get ${wanted}`;
    return [createMessage('outdatedProxy', { object }, text)];
  });
}
