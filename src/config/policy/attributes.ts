import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { LIMITS } from './limits.js';
import { exactlyOneOf } from './one-of.js';

/** Groups of four characters; the last group may have two or three, with or without padding. */
const BASE64 = '^([A-Za-z0-9+/_-]{4})*([A-Za-z0-9+/_-]{2}(==)?|[A-Za-z0-9+/_-]{3}=?)?$';

/** A typed value: exactly one member is set (docs/reference/policy-kinds.md#attribute-values). */
export const attributeValueSchema = Type.Object(
  {
    stringValue: Type.Optional(
      Type.String({ description: 'A text, not empty.', minLength: 1, maxLength: LIMITS.textLength }),
    ),
    int64Value: Type.Optional(
      Type.Unsafe<number | string>({
        description:
          'A whole number of 64 bits. Write numbers above 9007199254740991 in quotes, because JSON numbers lose digits there.',
        anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]{1,19}$' }],
      }),
    ),
    doubleValue: Type.Optional(Type.Number({ description: 'A number of double precision.' })),
    boolValue: Type.Optional(Type.Boolean({ description: 'True or false.' })),
    bytesValue: Type.Optional(
      Type.String({
        description: 'Bytes in base64, in the plain or the URL alphabet.',
        maxLength: LIMITS.textLength,
        pattern: BASE64,
      }),
    ),
    timestampValue: Type.Optional(
      Type.String({
        description: 'A time in RFC 3339, such as 2026-01-31T12:00:00Z.',
        maxLength: 64,
        pattern:
          '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$',
      }),
    ),
    durationValue: Type.Optional(durationField({ description: 'A duration, such as 10s, 1.5s or 1m30s.' })),
    stringMapValue: Type.Optional(
      Type.Object(
        {
          entries: stringMap(Type.String({ maxLength: LIMITS.textLength }), {
            description: 'Texts by name.',
            default: {},
            maxProperties: LIMITS.attributes,
          }),
        },
        { additionalProperties: false, description: 'Texts by name.' },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'A typed value: exactly one member is set.',
    oneOf: exactlyOneOf(
      'stringValue',
      'int64Value',
      'doubleValue',
      'boolValue',
      'bytesValue',
      'timestampValue',
      'durationValue',
      'stringMapValue',
    ),
  },
);

/** Attributes by name (docs/reference/policy-kinds.md#attributes). */
export function attributesField(description: string) {
  return Type.Object(
    {
      attributes: stringMap(attributeValueSchema, {
        description: 'Values by attribute name, for example api.service.',
        default: {},
        maxProperties: LIMITS.attributes,
      }),
    },
    { additionalProperties: false, description },
  );
}

/**
 * A duration as text (docs/reference/policy-kinds.md#durations): `10s`, `1.5s`, `1m30s`. `parseDuration` converts it
 * into a number.
 */
export function durationField(options: { readonly description: string; readonly default?: string }) {
  return Type.String({ maxLength: 64, pattern: '^([0-9]+(\\.[0-9]+)?(h|m|s|ms|us|ns))+$', ...options });
}

export const attributesSchema = attributesField('Typed values by attribute name.');

export type AttributeValueSpec = Immutable<Static<typeof attributeValueSchema>>;
export type AttributesSpec = Immutable<Static<typeof attributesSchema>>;
