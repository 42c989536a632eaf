import type { Static } from 'typebox';
import * as Type from 'typebox';
import { meshServiceSchema } from '../policy/mesh-service.js';
import { neverTogether } from '../policy/one-of.js';
import { attributeMatchSchema } from '../policy/quota-spec.js';
import { refundSchema } from '../policy/refund.js';
import type { Immutable } from '../schema/immutable.js';
import { PLAN_LIMITS } from './limits.js';

const { labels: _ofWorkloads, ...serviceFields } = meshServiceSchema.properties;

/** Names a service. A plan applies to all of its workloads: a key must not depend on the workload that answers. */
const planServiceSchema = Type.Object(serviceFields, {
  additionalProperties: false,
  description: 'A service: either name, with namespace and domain, or service, but not both.',
  allOf: neverTogether(['name', 'service'], ['service', 'namespace'], ['service', 'domain']),
});

function matches(description: string) {
  return Type.Array(attributeMatchSchema, { description, default: [], maxItems: PLAN_LIMITS.matches });
}

/** How many requests of whom a plan allows in which time (docs/plans.md#limits). */
export const planLimitSchema = Type.Object(
  {
    name: Type.String({
      description:
        'Name of the limit, which callers see: lower-case letters, digits and hyphens, at most 63 characters.',
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
    }),
    requests: Type.Integer({
      description: 'The number of requests; 0 allows none.',
      minimum: 0,
      maximum: PLAN_LIMITS.requests,
    }),
    per: Type.Enum(['minute', 'hour', 'day', 'week', 'month'], { description: 'The length of the window.' }),
    window: Type.Enum(['fixed', 'rolling'], {
      description:
        'fixed: windows follow one another, in UTC; weeks begin on Monday, and months are those of the calendar. rolling: any window of that length, a month being 30 days.',
      default: 'fixed',
    }),
    of: Type.Enum(['key', 'consumer', 'plan'], {
      description:
        'Whose requests count together: those of one key, of one consumer with all its keys, or of the whole plan.',
      default: 'consumer',
    }),
    match: matches('The limit counts a request if any of these conditions matches; default: every request.'),
  },
  { additionalProperties: false, description: 'How many requests are allowed in a time.' },
);

/** When requests without a known key belong to the plan. */
const anonymousField = Type.Enum(['never', 'withoutKey', 'withoutKnownKey'], {
  description:
    'Which requests without a known key the plan allows. never: they get 401. withoutKey: those that have no key. withoutKnownKey: also those with an unknown key. A limit of each key then counts by address.',
  default: 'never',
});

/** The fields of a plan that policy servers read. */
export const planFields = {
  match: matches('The plan includes a request if any of these conditions matches; default: every request.'),
  limits: Type.Array(planLimitSchema, {
    description: 'The limits. A request counts for each limit that matches, or is refused and counts for none.',
    default: [],
    maxItems: PLAN_LIMITS.limits,
  }),
  anonymous: anonymousField,
  refund: Type.Optional(refundSchema),
};

/** `spec` of a Plan (docs/plans.md). */
export const planSchema = Type.Object(
  {
    services: Type.Array(planServiceSchema, {
      description: 'The services of the plan. Their requests need a key of a consumer whose plan includes them.',
      minItems: 1,
      maxItems: PLAN_LIMITS.services,
    }),
    ...planFields,
  },
  {
    additionalProperties: false,
    description: 'Which requests of services consumers may make, and how many. Consumers name their plan.',
  },
);

export type PlanLimit = Immutable<Static<typeof planLimitSchema>>;
export type PlanSpec = Immutable<Static<typeof planSchema>>;
