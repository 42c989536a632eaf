import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { optionalText, text } from './fields.js';
import { RULE_LIMITS } from './limits.js';

/** `spec` of a template: data of adapters of one's own, as its build tools describe it. */
export const templateSchema = Type.Object(
  {
    name: optionalText('Not used: metadata.name is the name of the template.', RULE_LIMITS.nameLength),
    descriptor: text('Descriptor of the fields: a FileDescriptorSet in base64.', RULE_LIMITS.descriptorLength),
  },
  { additionalProperties: false, description: 'The fields of instances for adapters of your own.' },
);

export type TemplateSpec = Immutable<Static<typeof templateSchema>>;
