import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { LIMITS } from './limits.js';
import { refundSchema } from './refund.js';
import { stringMatchSchema } from './string-match.js';

/** Conditions on attributes, all of which must hold (docs/reference/policy-kinds.md#attributematch). */
export const attributeMatchSchema = Type.Object(
  {
    clause: stringMap(stringMatchSchema, {
      description: 'One condition per attribute, by its name, for example request.path; all must hold.',
      default: {},
      maxProperties: LIMITS.clauses,
    }),
  },
  { additionalProperties: false, description: 'Conditions on attributes, all of which must hold.' },
);

/** A quota and what a request costs of it (docs/reference/policy-kinds.md#quota). */
const quotaSchema = Type.Object(
  {
    quota: Type.Optional(
      Type.String({
        description: 'Name of the quota to charge; without a name nothing is charged.',
        minLength: 1,
        maxLength: LIMITS.nameLength,
      }),
    ),
    charge: Type.Integer({
      description: 'Amount to charge; 0 charges nothing.',
      minimum: 0,
      maximum: 2147483647,
      default: 1,
    }),
  },
  { additionalProperties: false, description: 'A quota, and the amount that a request charges.' },
);

/** When to charge which quotas (docs/reference/policy-kinds.md#quotarule). */
export const quotaRuleSchema = Type.Object(
  {
    match: Type.Array(attributeMatchSchema, {
      description: 'The rule matches if any of these conditions matches. Without conditions it matches every request.',
      default: [],
      maxItems: LIMITS.perRule,
    }),
    quotas: Type.Array(quotaSchema, {
      description: 'The quotas that the rule charges. Without quotas it charges nothing.',
      default: [],
      maxItems: LIMITS.perRule,
    }),
  },
  { additionalProperties: false, description: 'When to charge which quotas.' },
);

/** How a QuotaSpec is enforced (docs/policies.md#exact-or-fast). */
export const enforcementField = Type.Optional(
  Type.Enum(['exact', 'fast'], {
    description:
      'exact, the default: the policy server decides each request. fast: proxies hold shares of the limits, so that no request waits, and can admit a little more than the limits.',
  }),
);

/** Whether an object decides without effect (docs/policies.md#dry-runs). */
export function dryRunField(description: string) {
  return Type.Optional(Type.Boolean({ description: `${description} Default: false.` }));
}

/** Fields of a QuotaSpec about its charges (docs/policies.md#what-callers-see, docs/plans.md#refunds). */
export const chargeFields = {
  rateLimitHeaders: Type.Optional(
    Type.Boolean({
      description:
        'Whether responses have the headers RateLimit-Policy and RateLimit for the quotas of the spec. Default: false.',
    }),
  ),
  refund: Type.Optional(refundSchema),
  dryRun: dryRunField('Count requests that the spec would refuse, and let them pass.'),
};

/** `spec` of a QuotaSpec (docs/reference/policy-kinds.md#quotaspec). */
export const quotaSpecSchema = Type.Object(
  {
    enforcement: enforcementField,
    rules: Type.Array(quotaRuleSchema, {
      description: 'The rules. Every rule that matches charges its quotas. Without rules nothing is charged.',
      default: [],
      maxItems: LIMITS.rules,
    }),
    ...chargeFields,
  },
  {
    additionalProperties: false,
    description: 'Which requests charge which quotas. A QuotaSpecBinding applies it to services.',
  },
);

export type AttributeMatchSpec = Immutable<Static<typeof attributeMatchSchema>>;
export type QuotaRuleSpec = Immutable<Static<typeof quotaRuleSchema>>;
export type QuotaSpec = Immutable<Static<typeof quotaSpecSchema>>;
