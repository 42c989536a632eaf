import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { VIRTUAL_SERVICE_LIMITS } from './virtual-service-limits.js';

const { nameLength, textLength, perCondition, destinations } = VIRTUAL_SERVICE_LIMITS;

export const destinationSchema = Type.Object(
  {
    host: Type.String({
      description: 'Host of a service of the mesh; a name without dots is a Service of the namespace of the object.',
      minLength: 1,
      maxLength: nameLength + 2,
    }),
    subset: Type.Optional(
      Type.String({ description: 'Name of a subset in the DestinationRule of the host.', maxLength: nameLength }),
    ),
    port: Type.Optional(
      Type.Object(
        {
          number: Type.Optional(Type.Integer({ description: 'Number of the port.', minimum: 1, maximum: 65535 })),
        },
        {
          additionalProperties: false,
          description: 'Port of the service; may be left out if the service has one port.',
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'A service, or a subset of its workloads.' },
);

const headerValues = (description: string) =>
  Type.Optional(stringMap(Type.String({ maxLength: textLength }), { description, maxProperties: perCondition }));

const headerOperationsSchema = Type.Object(
  {
    set: headerValues('Headers that replace those of the same name.'),
    add: headerValues('Headers that are added to those of the same name.'),
    remove: Type.Optional(
      Type.Array(Type.String({ maxLength: nameLength }), {
        description: 'Names of headers that are removed.',
        maxItems: perCondition,
      }),
    ),
  },
  { additionalProperties: false, description: 'Changes of headers.' },
);

export const headersSchema = Type.Object(
  { request: Type.Optional(headerOperationsSchema), response: Type.Optional(headerOperationsSchema) },
  { additionalProperties: false, description: 'Changes of the headers of requests and responses.' },
);

const weight = Type.Optional(
  Type.Integer({
    description: 'Share of the destination in percent. With several destinations the sum is 100.',
    minimum: 0,
    maximum: 100,
  }),
);

export const httpDestinationsSchema = Type.Array(
  Type.Object(
    { destination: destinationSchema, weight, headers: Type.Optional(headersSchema) },
    { additionalProperties: false, description: 'A destination and its share of the requests.' },
  ),
  { description: 'Destinations of the requests.', minItems: 1, maxItems: destinations },
);

export const connectionDestinationsSchema = Type.Array(
  Type.Object(
    { destination: destinationSchema, weight },
    { additionalProperties: false, description: 'A destination and its share of the connections.' },
  ),
  { description: 'Destinations of the connections.', minItems: 1, maxItems: destinations },
);

export type DestinationSpec = Immutable<Static<typeof destinationSchema>>;
export type HeadersSpec = Immutable<Static<typeof headersSchema>>;
export type HttpDestinationSpec = Immutable<Static<typeof httpDestinationsSchema>>[number];
export type ConnectionDestinationSpec = Immutable<Static<typeof connectionDestinationsSchema>>[number];
