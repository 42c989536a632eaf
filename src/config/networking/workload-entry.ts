import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';

/**
 * Limits of the networking kinds. They limit the cost of one object. No valid object of ordinary use reaches them.
 */
export const NETWORKING_LIMITS = {
  /** Hosts, addresses and ports of a service. */
  perService: 256,
  /** Workloads in one entry. */
  endpoints: 10_000,
  /** Labels of a workload or selector, and its ports. */
  perWorkload: 256,
  /** Namespaces in `exportTo`, and names in `subjectAltNames`. */
  names: 1000,
  /** Characters of a name, an address or a label. */
  textLength: 1024,
} as const;

const { textLength: maxLength, perWorkload: maxProperties } = NETWORKING_LIMITS;

/**
 * `spec` of a WorkloadEntry, and one item of a ServiceEntry's `endpoints`
 * (docs/reference/validation-rules.md#workloadentry). A field with a default is optional in a file and always present
 * in the object that the model reads.
 */
export const workloadEntrySchema = Type.Object(
  {
    address: Type.String({
      description:
        'Address of the workload: an IP address, a DNS name (only for resolution DNS), or unix:///path for a socket.',
      maxLength,
    }),
    ports: stringMap(Type.Integer({ minimum: 1, maximum: 65535 }), {
      description:
        'Ports that the workload listens on, by the name of the service port. Default for a service port: the same number.',
      default: {},
      maxProperties,
    }),
    labels: stringMap(Type.String({ maxLength }), {
      description: 'Labels of the workload, for workload selectors and subsets.',
      default: {},
      maxProperties,
    }),
    network: Type.String({
      description: 'Network of the address; empty for the default network.',
      default: '',
      maxLength,
    }),
    locality: Type.String({
      description: 'Locality of the workload: region/zone/subzone, region/zone or region.',
      default: '',
      maxLength,
    }),
    weight: Type.Integer({
      description: 'Load balancing weight relative to the other endpoints; 0 counts as 1.',
      minimum: 0,
      maximum: 4294967295,
      default: 0,
    }),
    serviceAccount: Type.String({
      description: 'Service account of the workload, without its namespace.',
      default: '',
      maxLength,
    }),
  },
  { additionalProperties: false, description: 'A workload that is not a pod, for example a virtual machine.' },
);

export type WorkloadEntrySpec = Immutable<Static<typeof workloadEntrySchema>>;
