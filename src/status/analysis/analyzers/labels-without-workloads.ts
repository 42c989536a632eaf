import { keyOf } from '../../../config/object.js';
import { matchesHost, type ServicePattern } from '../../../model/policy/service-pattern.js';
import type { Service } from '../../../model/service.js';
import { endpointsOf } from '../../../model/snapshot/endpoints-of.js';
import { allBindings, type EndpointAnalysisInput, type EndpointAnalyzer, namedServices } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';
import { labelId, type WorkloadLabels } from '../workload-labels.js';

type Labels = readonly (readonly [key: string, value: string])[];

/** Labels of bindings that no workload of their services has. Services without workloads get no message. */
export const findLabelsWithoutWorkloads: EndpointAnalyzer = (input) => {
  const servicesWith = createLabelIndex(input);
  return allBindings(input.bindings).flatMap(({ resolved: { binding, services } }) =>
    services.flatMap(({ pattern, source: { labels } }, index) => {
      const wanted = Object.entries(labels);
      if (wanted.length === 0 || selectsWorkload(input, pattern, wanted, servicesWith)) return [];
      const hasWorkloads = some(namedServices(input, pattern), (service) => workloadsOf(input, service) !== undefined);
      if (!hasWorkloads) return [];
      const selector = wanted.map(([key, value]) => `${key}=${value}`).join(',');
      const where = { object: keyOf(binding), field: `spec.services[${index}].labels` };
      return createMessage('labelsWithoutWorkload', where, `no workload of the service has ${selector}`);
    }),
  );
};

function selectsWorkload(
  input: EndpointAnalysisInput,
  pattern: ServicePattern,
  wanted: Labels,
  servicesWith: LabelIndex,
): boolean {
  const candidates = pattern.type === 'host' ? namedServices(input, pattern) : servicesWith(wanted);
  return some(candidates, (service) => {
    if (!matchesHost(pattern, service.hostname)) return false;
    const workloads = workloadsOf(input, service)?.workloads ?? [];
    return workloads.some((labels) => wanted.every(([key, value]) => labels[key] === value));
  });
}

/** Undefined for a service without workloads. */
function workloadsOf(input: EndpointAnalysisInput, service: Service): WorkloadLabels | undefined {
  const endpoints = endpointsOf(input, service);
  const found = endpoints === undefined ? undefined : input.workloadLabelsOf(endpoints);
  return found === undefined || found.workloads.length === 0 ? undefined : found;
}

/** Returns services one of whose workloads has the rarest of the labels. */
type LabelIndex = (wanted: Labels) => readonly Service[];

/** Wildcards share one look at all services, so that hundreds of them do not read every service each. */
function createLabelIndex(input: EndpointAnalysisInput): LabelIndex {
  let index: ReadonlyMap<string, readonly Service[]> | undefined;
  return (wanted) => {
    index ??= indexLabels(input);
    const lists = wanted.map((label) => index?.get(labelId(label)) ?? []);
    return lists.reduce((shortest, list) => (list.length < shortest.length ? list : shortest), lists[0] ?? []);
  };
}

function indexLabels(input: EndpointAnalysisInput): ReadonlyMap<string, readonly Service[]> {
  const index = new Map<string, Service[]>();
  for (const { resolved } of allBindings(input.bindings)) {
    for (const { source } of resolved.services) {
      for (const label of Object.entries(source.labels)) index.set(labelId(label), []);
    }
  }
  for (const service of input.services) {
    for (const id of workloadsOf(input, service)?.ids ?? []) index.get(id)?.push(service);
  }
  return index;
}

function some<Item>(items: Iterable<Item>, matches: (item: Item) => boolean): boolean {
  for (const item of items) if (matches(item)) return true;
  return false;
}
