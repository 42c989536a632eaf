import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** `spec` of a EnvoyFilter. */
export const envoyFilterSchema = Type.Object(
  {},
  { additionalProperties: false, description: 'Patches of the configuration of Envoy.' },
);

export type EnvoyFilterSpec = Immutable<Static<typeof envoyFilterSchema>>;
