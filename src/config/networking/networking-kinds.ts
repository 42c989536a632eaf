import type { KindDefinition } from '../kind-definition.js';
import { type ServiceEntrySpec, serviceEntrySchema } from './service-entry.js';
import { validateServiceEntry } from './service-entry-rules.js';
import { type WorkloadEntrySpec, workloadEntrySchema } from './workload-entry.js';
import { validateWorkloadEntry } from './workload-entry-rules.js';

/** The kinds of group `networking.<mesh domain>`. */
export function createNetworkingKinds(meshDomain: string): readonly KindDefinition[] {
  const group = `networking.${meshDomain}`;
  const serviceEntry: KindDefinition<ServiceEntrySpec> = {
    group,
    versions: ['v1beta1', 'v1alpha3'],
    kind: 'ServiceEntry',
    plural: 'serviceentries',
    shortNames: ['se'],
    namespaced: true,
    schema: serviceEntrySchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validateServiceEntry,
  };
  const workloadEntry: KindDefinition<WorkloadEntrySpec> = {
    group,
    versions: ['v1beta1', 'v1alpha3'],
    kind: 'WorkloadEntry',
    plural: 'workloadentries',
    shortNames: ['we'],
    namespaced: true,
    schema: workloadEntrySchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validateWorkloadEntry,
  };
  return [serviceEntry, workloadEntry] as readonly KindDefinition[];
}
