import { keyOf } from '../../../config/object.js';
import type { LabelSet } from '../../../model/policy/label-conditions.js';
import { matchesHost } from '../../../model/policy/service-pattern.js';
import type { Service } from '../../../model/service.js';
import { endpointsOf } from '../../../model/snapshot/endpoints-of.js';
import { type AnalysisInput, type Analyzer, allBindings } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/** Labels of bindings that no workload of their services has. Services without workloads get no message. */
export const findLabelsWithoutWorkloads: Analyzer = (input) =>
  allBindings(input.bindings).flatMap(({ resolved: { binding, services } }) =>
    services.flatMap(({ pattern, source: { labels } }, index) => {
      const wanted = Object.entries(labels);
      if (wanted.length === 0) return [];
      const named =
        pattern.type === 'host'
          ? (input.servicesByHost.get(pattern.hostname) ?? [])
          : input.services.filter(({ hostname }) => matchesHost(pattern, hostname));
      const carried = [named].flat().flatMap((service) => workloadLabels(input, service));
      if (carried.length === 0 || carried.some((each) => wanted.every(([key, value]) => each[key] === value)))
        return [];
      const selector = wanted.map(([key, value]) => `${key}=${value}`).join(',');
      const where = { object: keyOf(binding), field: `spec.services[${index}].labels` };
      return createMessage('labelsWithoutWorkload', where, `no workload of the service has ${selector}`);
    }),
  );

function workloadLabels(input: Pick<AnalysisInput, 'endpoints'>, service: Service): readonly LabelSet[] {
  return [...(endpointsOf(input, service)?.shards.values() ?? [])].flat().map(({ labels }) => labels);
}
