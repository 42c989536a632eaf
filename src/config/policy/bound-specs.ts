import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { httpApiSpecSchema } from './http-api-spec.js';
import { chargeFields, enforcementField, quotaRuleSchema } from './quota-spec.js';

/**
 * Sets of labels. A spec applies to workloads that have one of the sets. The sets come from bindings, whose limits apply.
 */
const workloadsField = Type.Optional(
  Type.Array(
    Type.Object(
      { labels: stringMap(Type.String({ maxLength: 63 }), { description: 'Labels by key.', default: {} }) },
      { additionalProperties: false, description: 'Labels. A workload must have all of them.' },
    ),
    { description: 'The workloads that have one of these sets of labels; default: all workloads.' },
  ),
);

/** A QuotaSpec that bindings apply to a service. Each rule may be limited to some workloads. */
export const boundQuotaSpecSchema = Type.Object(
  {
    enforcement: enforcementField,
    rules: Type.Array(
      Type.Object(
        { ...quotaRuleSchema.properties, workloads: workloadsField },
        { additionalProperties: false, description: 'When to charge which quotas.' },
      ),
      {
        description: 'The rules. Every rule that matches charges its quotas.',
        default: [],
      },
    ),
    ...chargeFields,
  },
  { additionalProperties: false, description: 'Which requests to which workloads charge which quotas.' },
);

/** An HTTPAPISpec that bindings apply to a service. It may be limited to some workloads. */
export const boundHttpApiSpecSchema = Type.Object(
  { ...httpApiSpecSchema.properties, workloads: workloadsField },
  { additionalProperties: false, description: 'API attributes of requests to some or all workloads.' },
);

export type BoundQuotaSpec = Immutable<Static<typeof boundQuotaSpecSchema>>;
export type BoundHttpApiSpec = Immutable<Static<typeof boundHttpApiSpecSchema>>;
