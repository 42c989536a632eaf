import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { optionalText, reference } from './fields.js';
import { RULE_LIMITS } from './limits.js';

/** `spec` of an adapter: an adapter of one's own, as its build tools describe it (docs/policy-rules.md#adapters-of-your-own). */
export const adapterSchema = Type.Object(
  {
    name: optionalText('Not used: metadata.name is the name of the adapter.', RULE_LIMITS.nameLength),
    description: optionalText('What the adapter does, for readers.'),
    templates: Type.Array(reference('A template: its name, or name.namespace.'), {
      description: 'The template objects whose instances the adapter takes.',
      default: [],
      maxItems: RULE_LIMITS.templates,
    }),
    config: optionalText('Descriptor of the parameters: a FileDescriptorSet in base64.', RULE_LIMITS.descriptorLength),
    sessionBased: Type.Optional(
      Type.Boolean({ description: 'Whether the adapter gets its parameters once for each session; default: false.' }),
    ),
    session_based: Type.Optional(Type.Boolean({ description: 'The same as sessionBased, as build tools write it.' })),
  },
  { additionalProperties: false, description: 'An adapter that runs as a program of its own.' },
);

/** @see adapterSchema */
export type AdapterSpec = Immutable<Static<typeof adapterSchema>>;
