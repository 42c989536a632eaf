import type { WorkloadEntrySpec } from '../../config/networking/workload-entry.js';
import type { MeshObject } from '../../config/object.js';
import { formatSpiffeId } from '../spiffe-id.js';
import type { Translation } from './translation.js';
import { tlsModeOf, type Workload } from './workload.js';

export type WorkloadEntry = MeshObject<'WorkloadEntry', WorkloadEntrySpec>;

/**
 * @param namespace of the WorkloadEntry, or of the ServiceEntry that lists it
 * @param name of the WorkloadEntry; empty when a ServiceEntry lists it
 */
export function translateWorkloadEntry(
  spec: WorkloadEntrySpec,
  namespace: string,
  name: string,
  translation: Translation,
): Workload {
  return {
    labels: spec.labels,
    locality: spec.locality,
    network: spec.network === '' ? translation.networkOf(spec.address) : spec.network,
    weight: spec.weight === 0 ? 1 : spec.weight,
    serviceAccount:
      spec.serviceAccount === ''
        ? ''
        : formatSpiffeId({ trustDomain: translation.trustDomain, namespace, serviceAccount: spec.serviceAccount }),
    tlsMode: tlsModeOf(spec.labels, translation.meshDomain),
    workloadName: name,
    namespace,
  };
}
