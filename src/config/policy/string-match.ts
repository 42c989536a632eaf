import type { Static } from 'typebox';
import * as Type from 'typebox';
import { MAX_REGEX_LENGTH } from '../regex/regex-size.js';
import type { Immutable } from '../schema/immutable.js';
import { LIMITS } from './limits.js';
import { exactlyOneOf } from './one-of.js';

/** Matches a text, case-sensitively; exactly one member is set (docs/reference/policy-kinds.md#stringmatch). */
export const stringMatchSchema = Type.Object(
  {
    exact: Type.Optional(Type.String({ description: 'The whole text.', minLength: 1, maxLength: LIMITS.textLength })),
    prefix: Type.Optional(
      Type.String({ description: 'The start of the text.', minLength: 1, maxLength: LIMITS.textLength }),
    ),
    regex: Type.Optional(
      Type.String({
        description: 'A regular expression in RE2 syntax that matches the whole text.',
        minLength: 1,
        maxLength: MAX_REGEX_LENGTH,
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Matches a text, case-sensitively: exactly one of exact, prefix and regex is set.',
    oneOf: exactlyOneOf('exact', 'prefix', 'regex'),
  },
);

export type StringMatchSpec = Immutable<Static<typeof stringMatchSchema>>;
