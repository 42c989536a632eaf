import type { KindFields } from './kind-fields.js';

const TARGETS = 'hosts, addresses and ports of a ServiceEntry decide which requests it serves';
const LOCATION =
  'requests to a ServiceEntry inside the mesh carry the identity of the caller, and those to one outside do not';
const traffic = (test: string) => ({ test, file: 'e2e/traffic.test.ts' });
const STATIC = traffic('a ServiceEntry with resolution STATIC sends its virtual address to its endpoint');

export const SERVICE_ENTRY: KindFields = {
  kind: 'ServiceEntry',
  file: 'e2e/entries.test.ts',
  fields: {
    'ServiceEntry.hosts': TARGETS,
    'ServiceEntry.addresses': TARGETS,
    'ServiceEntry.ports': TARGETS,
    'ServiceEntry.location': LOCATION,
    'ServiceEntry.resolution': STATIC,
    'ServiceEntry.endpoints': STATIC,
    'ServiceEntry.workloadSelector':
      'workloadSelector finds WorkloadEntries by their labels, with their addresses and ports',
    'ServiceEntry.exportTo': 'exportTo decides which namespaces see a ServiceEntry',
    'ServiceEntry.subjectAltNames': 'a server of the mesh must have one of the names of subjectAltNames',
    'Location.MESH_EXTERNAL': LOCATION,
    'Location.MESH_INTERNAL': LOCATION,
    'Resolution.NONE': traffic('a ServiceEntry with resolution NONE keeps the address that the app connected to'),
    'Resolution.STATIC': STATIC,
    'Resolution.DNS': traffic(
      'the sidecar resolves a ServiceEntry with resolution DNS, whatever address the app connects to',
    ),
  },
};
