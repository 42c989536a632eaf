import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** `spec` of a RequestAuthentication. */
export const requestAuthenticationSchema = Type.Object(
  {},
  { additionalProperties: false, description: 'Which JWTs workloads accept.' },
);

export type RequestAuthenticationSpec = Immutable<Static<typeof requestAuthenticationSchema>>;
