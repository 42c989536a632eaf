import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { targetReferenceSchema } from './endpoints.js';

const sliceEndpointSchema = Type.Object({
  addresses: Type.Array(Type.String(), { description: 'Addresses of one endpoint. The mesh uses the first.' }),
  conditions: Type.Optional(
    Type.Object({
      ready: Type.Optional(Type.Boolean({ description: 'Whether the endpoint is ready; default: true.' })),
      serving: Type.Optional(Type.Boolean({ description: 'Whether the endpoint is ready, also while it terminates.' })),
      terminating: Type.Optional(Type.Boolean({ description: 'Whether the endpoint terminates.' })),
    }),
  ),
  hostname: Type.Optional(Type.String({ description: 'Host name of the endpoint in the service.' })),
  nodeName: Type.Optional(Type.String({ description: 'Node of the endpoint.' })),
  zone: Type.Optional(Type.String({ description: 'Zone of the endpoint.' })),
  targetRef: Type.Optional(targetReferenceSchema),
});

const slicePortSchema = Type.Object({
  name: Type.String({ description: 'Name of the service port.', default: '' }),
  port: Type.Optional(
    Type.Integer({
      description:
        'Port that the addresses listen on. The mesh ignores entries without a port, which stand for all ports.',
      minimum: 1,
      maximum: 65535,
    }),
  ),
  protocol: Type.Enum(['TCP', 'UDP', 'SCTP'], { description: 'Transport protocol.', default: 'TCP' }),
  appProtocol: Type.Optional(Type.String({ description: 'Application protocol.' })),
});

/**
 * The part of a discovery.k8s.io/v1 EndpointSlice that the model reads: its top-level fields. The label
 * `kubernetes.io/service-name` names its service.
 */
export const endpointSliceSchema = Type.Object({
  addressType: Type.Enum(['IPv4', 'IPv6', 'FQDN'], { description: 'Type of the addresses.' }),
  endpoints: Type.Array(sliceEndpointSchema, { description: 'The endpoints of the slice.', default: [] }),
  ports: Type.Array(slicePortSchema, { description: 'Ports that all endpoints serve.', default: [] }),
});

export type EndpointSliceBody = Immutable<Static<typeof endpointSliceSchema>>;
export type SliceEndpoint = EndpointSliceBody['endpoints'][number];

/** Label of an EndpointSlice that names its Service. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
