import type { Static } from 'typebox';
import * as Type from 'typebox';
import { durationField } from '../policy/attributes.js';
import { dryRunField } from '../policy/quota-spec.js';
import type { Immutable } from '../schema/immutable.js';
import { expression, optionalText, reference, text, wholeNumber } from './fields.js';
import { RULE_LIMITS } from './limits.js';

const actionSchema = Type.Object(
  {
    handler: reference('The handler to call: name, name.namespace or name.handler.namespace.'),
    instances: Type.Array(reference('An instance: name, name.namespace or name.instance.namespace.'), {
      description: 'The instances that the handler gets.',
      default: [],
      maxItems: RULE_LIMITS.instances,
    }),
    name: Type.Optional(
      Type.String({
        description: 'Name by which header operations read the output of the handler.',
        minLength: 1,
        maxLength: 63,
        pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
      }),
    ),
  },
  { additionalProperties: false, description: 'Calls a handler with instances.' },
);

const headerOperationSchema = Type.Object(
  {
    name: text('Name of the header.', 256),
    values: Type.Array(expression('Expression for a value.'), {
      description: 'Expressions for the values.',
      default: [],
      maxItems: RULE_LIMITS.headerValues,
    }),
    operation: Type.Enum(['REPLACE', 'REMOVE', 'APPEND'], {
      description: 'Whether the values replace the header or are appended to it, or the header is removed.',
      default: 'REPLACE',
    }),
  },
  { additionalProperties: false, description: 'Changes a header.' },
);

function headerOperations(description: string) {
  return Type.Array(headerOperationSchema, { description, default: [], maxItems: RULE_LIMITS.headerOperations });
}

const samplingSchema = Type.Object(
  {
    random: Type.Optional(
      Type.Object(
        {
          attributeExpression: Type.Optional(
            expression(
              'A text. Requests with the same text get the same decision, for example request.headers["x-request-id"].',
            ),
          ),
          percentSampled: Type.Optional(
            Type.Object(
              {
                numerator: Type.Integer({ description: 'The share.', minimum: 0, maximum: 10_000, default: 0 }),
                denominator: Type.Enum(['HUNDRED', 'TEN_THOUSAND'], {
                  description: 'What the numerator is a share of.',
                  default: 'HUNDRED',
                }),
              },
              { additionalProperties: false, description: 'Share of the requests; default: none.' },
            ),
          ),
          useIndependentRandomness: Type.Boolean({
            description: 'Decide at random for each request, without the attribute.',
            default: false,
          }),
        },
        { additionalProperties: false, description: 'Samples a share of the requests.' },
      ),
    ),
    rateLimit: Type.Optional(
      Type.Object(
        {
          samplingDuration: durationField({ description: 'Length of the window.' }),
          maxUnsampledEntries: wholeNumber('Requests of a window before sampling begins.', { default: 0 }),
          samplingRate: wholeNumber('Then one of this many requests is sampled.', { minimum: 1 }),
        },
        { additionalProperties: false, description: 'Samples requests after the first ones of a window.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'Which requests are reported; absent: all.' },
);

/** `spec` of a rule (docs/policy-rules.md#rules). */
export const ruleSchema = Type.Object(
  {
    match: optionalText(
      'Condition on attributes: an expression that is true or false. Empty: every request.',
      RULE_LIMITS.expressionLength,
    ),
    actions: Type.Array(actionSchema, {
      description: 'What happens with requests that match.',
      default: [],
      maxItems: RULE_LIMITS.actions,
    }),
    requestHeaderOperations: headerOperations('Changes of the request headers.'),
    responseHeaderOperations: headerOperations('Changes of the response headers.'),
    sampling: Type.Optional(samplingSchema),
    dryRun: dryRunField('Count requests that the rule would refuse, let them pass, and change no headers.'),
  },
  { additionalProperties: false, description: 'Calls handlers for requests that match.' },
);

export type RuleSpec = Immutable<Static<typeof ruleSchema>>;
