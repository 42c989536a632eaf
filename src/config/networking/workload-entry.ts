import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { NETWORKING_LIMITS } from './limits.js';

const { textLength: maxLength, perWorkload: maxProperties } = NETWORKING_LIMITS;

/**
 * `spec` of a WorkloadEntry, and one item of a ServiceEntry's `endpoints` (BEHAVIOUR 7, "WorkloadEntry").
 * A field with a default may be left out in a file and is always present in what the model reads.
 */
export const workloadEntrySchema = Type.Object(
  {
    address: Type.String({
      description:
        'Where the workload is: an IP address, a DNS name (only for resolution DNS), or unix:///path for a socket.',
      maxLength,
    }),
    ports: stringMap(Type.Integer({ minimum: 1, maximum: 65535 }), {
      description:
        'Port the workload listens on, by name of the service port. A service port that is not named here is served on its own number.',
      default: {},
      maxProperties,
    }),
    labels: stringMap(Type.String({ maxLength }), {
      description: 'Labels of the workload, for workload selectors and subsets.',
      default: {},
      maxProperties,
    }),
    network: Type.String({
      description: 'Network the address belongs to; empty for the default one.',
      default: '',
      maxLength,
    }),
    locality: Type.String({
      description: 'Where the workload runs: region/zone/subzone; the later parts may be missing.',
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
      description: 'Name of the service account that the workload runs as, without namespace.',
      default: '',
      maxLength,
    }),
  },
  { additionalProperties: false, description: 'One workload that is not a pod: a virtual machine or a bare process.' },
);

export type WorkloadEntrySpec = Immutable<Static<typeof workloadEntrySchema>>;
