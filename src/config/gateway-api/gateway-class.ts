import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { MAX_TEXT, nameText, unread } from './object-reference.js';

/** `spec` of a GatewayClass, as far as the mesh reads it. */
export const gatewayClassSchema = Type.Object({
  controllerName: nameText('The controller of the Gateways of this class.'),
  description: Type.Optional(Type.String({ description: 'For people.', maxLength: MAX_TEXT })),
  parametersRef: unread('Parameters of the class. The mesh has none.'),
});

export type GatewayClassSpec = Immutable<Static<typeof gatewayClassSchema>>;
