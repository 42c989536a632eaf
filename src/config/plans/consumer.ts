import type { Static } from 'typebox';
import * as Type from 'typebox';
import { DNS_LABEL_PATTERN, OBJECT_NAME_PATTERN } from '../policy/mesh-service.js';
import { exactlyOneOf } from '../policy/one-of.js';
import type { Immutable } from '../schema/immutable.js';
import { PLAN_LIMITS } from './limits.js';

const planReferenceSchema = Type.Object(
  {
    name: Type.String({
      description: 'Name of the Plan: lower-case letters, digits, hyphens and dots.',
      minLength: 1,
      maxLength: 253,
      pattern: OBJECT_NAME_PATTERN,
    }),
    namespace: Type.Optional(
      Type.String({
        description: 'Namespace of the Plan, a DNS label; default: the namespace of the Consumer.',
        minLength: 1,
        maxLength: 63,
        pattern: DNS_LABEL_PATTERN,
      }),
    ),
  },
  { additionalProperties: false, description: 'Names a Plan.' },
);

const secretReferenceSchema = Type.Object(
  {
    name: Type.String({
      description: 'Name of the Secret in the namespace of the Consumer: lower-case letters, digits, hyphens and dots.',
      minLength: 1,
      maxLength: 253,
      pattern: OBJECT_NAME_PATTERN,
    }),
    key: Type.Optional(
      Type.String({
        description: 'Name of the entry of the Secret; default: all entries.',
        minLength: 1,
        maxLength: 253,
        pattern: '^[-._a-zA-Z0-9]+$',
      }),
    ),
  },
  { additionalProperties: false, description: 'Names a Secret.' },
);

/** The place of keys; a key itself is in no object (docs/plans.md#keys). `writeOnly`: violations do not show values. */
const consumerKeySchema = Type.Object(
  {
    sha256: Type.Optional(
      Type.String({
        description: 'SHA-256 of the key, as 64 hexadecimal digits in lower case. Never the key itself.',
        minLength: 1,
        maxLength: 64,
        pattern: '^[0-9a-f]{64}$',
        writeOnly: true,
      }),
    ),
    secretRef: Type.Optional(secretReferenceSchema),
  },
  {
    additionalProperties: false,
    description: 'A key by its hash, or the keys in a Secret: exactly one of sha256 and secretRef is set.',
    oneOf: exactlyOneOf('sha256', 'secretRef'),
    writeOnly: true,
  },
);

/** `spec` of a Consumer (docs/plans.md#consumers). */
export const consumerSchema = Type.Object(
  {
    plan: planReferenceSchema,
    keys: Type.Array(consumerKeySchema, {
      description: 'Its keys. With several, a new key works before the old one is removed.',
      default: [],
      maxItems: PLAN_LIMITS.keys,
    }),
  },
  { additionalProperties: false, description: 'Who calls an API: its keys, and the plan under which it calls.' },
);

export type ConsumerSpec = Immutable<Static<typeof consumerSchema>>;
