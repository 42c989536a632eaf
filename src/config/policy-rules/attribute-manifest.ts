import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { VALUE_TYPES } from './attribute-types.js';
import { optionalText } from './fields.js';
import { RULE_LIMITS } from './limits.js';

const attributeInfoSchema = Type.Object(
  {
    description: optionalText('What the attribute holds, for readers.'),
    valueType: Type.Enum([...VALUE_TYPES], { description: 'Type of its values.' }),
  },
  { additionalProperties: false, description: 'An attribute.' },
);

/** `spec` of an attributemanifest (docs/policy-rules.md#attributes). */
export const attributeManifestSchema = Type.Object(
  {
    revision: optionalText('Version of the manifest, for readers.'),
    name: optionalText('Component that sets the attributes, for readers.'),
    attributes: stringMap(attributeInfoSchema, {
      description: 'Attributes by name, for example request.tier.',
      default: {},
      maxProperties: RULE_LIMITS.attributes,
    }),
  },
  {
    additionalProperties: false,
    description: 'Attributes that expressions may read in addition to those of the mesh.',
  },
);

export type AttributeManifestSpec = Immutable<Static<typeof attributeManifestSchema>>;
