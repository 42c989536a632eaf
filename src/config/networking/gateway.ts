import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** `spec` of a Gateway. */
export const gatewaySchema = Type.Object(
  {},
  { additionalProperties: false, description: 'Ports that router proxies serve.' },
);

export type GatewaySpec = Immutable<Static<typeof gatewaySchema>>;
