import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** `spec` of a VirtualService. */
export const virtualServiceSchema = Type.Object(
  {},
  { additionalProperties: false, description: 'How requests and connections to hosts are routed.' },
);

export type VirtualServiceSpec = Immutable<Static<typeof virtualServiceSchema>>;
