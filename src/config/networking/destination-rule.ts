import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** `spec` of a DestinationRule. */
export const destinationRuleSchema = Type.Object(
  {},
  { additionalProperties: false, description: 'How clients connect to the endpoints of a host.' },
);

export type DestinationRuleSpec = Immutable<Static<typeof destinationRuleSchema>>;
