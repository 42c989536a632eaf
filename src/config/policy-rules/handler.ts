import type { Static } from 'typebox';
import * as Type from 'typebox';
import { exactlyOneOf } from '../policy/one-of.js';
import type { Immutable } from '../schema/immutable.js';
import { connectionSchema } from './connection.js';
import { optionalText, params, reference, text } from './fields.js';
import { RULE_LIMITS } from './limits.js';

/** `spec` of a handler (docs/policy-rules.md#handlers). */
export const handlerSchema = Type.Object(
  {
    name: optionalText('Not used: metadata.name is the name of the handler.', RULE_LIMITS.nameLength),
    compiledAdapter: Type.Optional(
      text('Built-in adapter, for example memquota. Excludes adapter.', RULE_LIMITS.nameLength),
    ),
    adapter: Type.Optional(reference('The adapter object of an adapter of your own. Excludes compiledAdapter.')),
    params: params('Parameters of the adapter.'),
    connection: Type.Optional(connectionSchema),
  },
  {
    additionalProperties: false,
    description: 'An adapter with its parameters. The actions of rules call it.',
    oneOf: exactlyOneOf('compiledAdapter', 'adapter'),
  },
);

export type HandlerSpec = Immutable<Static<typeof handlerSchema>>;
