import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { planFields } from './plan.js';

/** A consumer of a plan, with the hashes of all its keys. */
const planConsumerSchema = Type.Object(
  {
    name: Type.String({ description: 'Namespace and name of the Consumer, with a slash between them.', minLength: 3 }),
    keys: Type.Array(Type.String({ description: 'SHA-256 of a key.', pattern: '^[0-9a-f]{64}$', writeOnly: true }), {
      description: 'The hashes of its keys.',
      default: [],
    }),
  },
  { additionalProperties: false, description: 'A consumer of the plan.' },
);

/** A plan with its consumers, as policy servers get it. Only they may read it: weak keys can be found by their hashes. */
export const resolvedPlanSchema = Type.Object(
  {
    ...planFields,
    consumers: Type.Array(planConsumerSchema, {
      description: 'The consumers of the plan. Where several have a key, it belongs to the first.',
      default: [],
    }),
    isLoading: Type.Optional(
      Type.Boolean({ description: 'Whether not all keys are read yet, so that an unknown key may be one of them.' }),
    ),
  },
  { additionalProperties: false, description: 'A plan with its consumers.' },
);

export type PlanConsumer = Immutable<Static<typeof planConsumerSchema>>;
export type ResolvedPlan = Immutable<Static<typeof resolvedPlanSchema>>;
