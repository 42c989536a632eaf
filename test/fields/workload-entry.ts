import type { KindFields } from './kind-fields.js';

const SELECTED = 'workloadSelector finds WorkloadEntries by their labels, with their addresses and ports';

/** Endpoints of a ServiceEntry have the same fields. */
export const WORKLOAD_ENTRY: KindFields = {
  kind: 'WorkloadEntry',
  file: 'e2e/entries.test.ts',
  fields: {
    'WorkloadEntry.address': SELECTED,
    'WorkloadEntry.ports': SELECTED,
    'WorkloadEntry.labels': SELECTED,
    'WorkloadEntry.network': 'an endpoint on another network is reached by the gateway of that network',
    'WorkloadEntry.locality': 'Envoy knows the locality of an endpoint',
    'WorkloadEntry.weight': 'endpoints get requests by their weight',
    'WorkloadEntry.serviceAccount': 'an endpoint must have the identity of its serviceAccount',
  },
};
