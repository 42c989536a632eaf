import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { httpApiSpecSchema } from './http-api-spec.js';
import { quotaRuleSchema } from './quota-spec.js';

/**
 * Sets of labels, any of which a workload must carry. Bindings give them to the specs of a service, as many sets as
 * they name, so there is no limit here: that of a binding's items holds.
 */
const workloadsField = Type.Optional(
  Type.Array(
    Type.Object(
      { labels: stringMap(Type.String({ maxLength: 63 }), { description: 'Labels by key.', default: {} }) },
      { additionalProperties: false, description: 'Labels of which a workload carries all.' },
    ),
    { description: 'The workloads: those that carry one of these sets of labels; all of them where it is left out.' },
  ),
);

/** A QuotaSpec as bindings apply it to a service: each rule may be for some workloads alone. */
export const boundQuotaSpecSchema = Type.Object(
  {
    rules: Type.Array(
      Type.Object(
        { ...quotaRuleSchema.properties, workloads: workloadsField },
        { additionalProperties: false, description: 'When to charge which quotas.' },
      ),
      {
        description: 'The rules; every one that holds charges its quotas.',
        default: [],
      },
    ),
  },
  { additionalProperties: false, description: 'Which requests to which workloads are charged to which quotas.' },
);

/** An HTTPAPISpec as bindings apply it to a service: it may be for some workloads alone. */
export const boundHttpApiSpecSchema = Type.Object(
  { ...httpApiSpecSchema.properties, workloads: workloadsField },
  { additionalProperties: false, description: 'Where API attributes of requests to which workloads come from.' },
);

export type BoundQuotaSpec = Immutable<Static<typeof boundQuotaSpecSchema>>;
export type BoundHttpApiSpec = Immutable<Static<typeof boundHttpApiSpecSchema>>;
