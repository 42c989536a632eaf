import type { Static } from 'typebox';
import * as Type from 'typebox';
import { exactlyOneOf } from '../policy/one-of.js';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { expression, optionalText, params, reference, text } from './fields.js';
import { RULE_LIMITS } from './limits.js';

/** `spec` of an instance (docs/policy-rules.md#instances). */
export const instanceSchema = Type.Object(
  {
    name: optionalText('Not used: metadata.name is the name of the instance.', RULE_LIMITS.nameLength),
    compiledTemplate: Type.Optional(
      text('Built-in template, for example quota. Excludes template.', RULE_LIMITS.nameLength),
    ),
    template: Type.Optional(reference('The template object of a template of your own. Excludes compiledTemplate.')),
    params: params('Expressions for the fields of the template.'),
    attributeBindings: stringMap(expression('An expression.'), {
      description: 'Expressions for attributes that the output of an adapter sets, by attribute.',
      default: {},
      maxProperties: RULE_LIMITS.attributes,
    }),
  },
  {
    additionalProperties: false,
    description: 'Data for handlers, made from the attributes of a request.',
    oneOf: exactlyOneOf('compiledTemplate', 'template'),
  },
);

export type InstanceSpec = Immutable<Static<typeof instanceSchema>>;
