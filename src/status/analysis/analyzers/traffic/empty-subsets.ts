import { keyOf } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { DestinationRulePart } from '../../traffic/traffic-specs.js';

/**
 * Subsets whose labels no workload of the service has: requests to them get 503. Only Services of this cluster are
 * looked at, and only if they have workloads: those of other clusters and ServiceEntries may get theirs elsewhere.
 */
export const emptySubsets: ObjectAnalyzer = {
  kinds: ['DestinationRule'],
  find: (object, index) => {
    const { host = '', subsets = [] } = object.body as DestinationRulePart;
    if (subsets.length === 0) return [];
    const service = index.serviceOf(host, object.metadata.namespace);
    if (service === undefined || service.byCluster !== undefined) return [];
    const workloads = index.workloads.ofService(service.source);
    if (workloads.length === 0) return [];
    return subsets.flatMap(({ name, labels = {} }, at) => {
      const wanted = Object.entries(labels);
      const isFound = workloads.some((group) => wanted.every(([key, value]) => group.labels[key] === value));
      if (isFound) return [];
      const shown = wanted.map(([key, value]) => `${key}=${value}`).join(',');
      const text = `no workload of ${service.hostname} has ${shown}, so requests to the subset ${name} fail`;
      return [createMessage('emptySubset', { object: keyOf(object), field: `spec.subsets[${at}].labels` }, text)];
    });
  },
};
