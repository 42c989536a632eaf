import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** The object behind an endpoint address, as Endpoints and EndpointSlice name it. */
export const targetReferenceSchema = Type.Object(
  {
    kind: Type.Optional(Type.String({ description: 'Kind of the object, for example Pod.' })),
    namespace: Type.Optional(Type.String({ description: 'Its namespace.' })),
    name: Type.Optional(Type.String({ description: 'Its name.' })),
  },
  { description: 'The object behind the address.' },
);

export type TargetReference = Immutable<Static<typeof targetReferenceSchema>>;
