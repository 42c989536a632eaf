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

const endpointAddressSchema = Type.Object({
  ip: Type.String({ description: 'IP address.' }),
  hostname: Type.Optional(Type.String({ description: 'Host name of the endpoint in the service.' })),
  nodeName: Type.Optional(Type.String({ description: 'Node of the endpoint.' })),
  targetRef: Type.Optional(targetReferenceSchema),
});

const endpointsPortSchema = Type.Object({
  name: Type.String({ description: 'Name of the service port.', default: '' }),
  port: Type.Integer({ description: 'Port that the address listens on.', minimum: 1, maximum: 65535 }),
  protocol: Type.Enum(['TCP', 'UDP', 'SCTP'], { description: 'Transport protocol.', default: 'TCP' }),
  appProtocol: Type.Optional(Type.String({ description: 'Application protocol.' })),
});

/** The part of a core v1 Endpoints object that the model reads: its top-level fields. */
export const endpointsSchema = Type.Object({
  subsets: Type.Array(
    Type.Object({
      addresses: Type.Array(endpointAddressSchema, { description: 'Addresses that are ready.', default: [] }),
      notReadyAddresses: Type.Array(endpointAddressSchema, {
        description: 'Addresses that are not ready.',
        default: [],
      }),
      ports: Type.Array(endpointsPortSchema, { description: 'Ports that all the addresses serve.', default: [] }),
    }),
    { description: 'Addresses that share a set of ports.', default: [] },
  ),
});

export type EndpointsBody = Immutable<Static<typeof endpointsSchema>>;
export type EndpointsSubset = EndpointsBody['subsets'][number];
export type EndpointsAddress = EndpointsSubset['addresses'][number];
