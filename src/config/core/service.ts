import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';

const servicePortSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the port; may be empty when it is the only one.', default: '' }),
    port: Type.Integer({ description: 'Port that clients connect to.', minimum: 1, maximum: 65535 }),
    protocol: Type.Enum(['TCP', 'UDP', 'SCTP'], { description: 'Transport protocol.', default: 'TCP' }),
    appProtocol: Type.Optional(Type.String({ description: 'Application protocol, before what the name says.' })),
    targetPort: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.String()], {
        description: 'Port of the pods, by number or container port name.',
      }),
    ),
    nodePort: Type.Optional(Type.Integer({ description: 'Port on every node.', minimum: 0, maximum: 65535 })),
  },
  { description: 'One port of the service.' },
);

const serviceSpecSchema = Type.Object(
  {
    clusterIP: Type.Optional(Type.String({ description: 'Virtual IP; None for a headless service.' })),
    clusterIPs: Type.Optional(Type.Array(Type.String(), { description: 'All virtual IPs, clusterIP first.' })),
    type: Type.Enum(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'], {
      description: 'How the service is exposed.',
      default: 'ClusterIP',
    }),
    externalName: Type.Optional(Type.String({ description: 'DNS name that an ExternalName service stands for.' })),
    externalIPs: Type.Optional(Type.Array(Type.String(), { description: 'Further addresses that reach the service.' })),
    ports: Type.Array(servicePortSchema, { description: 'Ports of the service.', default: [] }),
    selector: stringMap(Type.String(), { description: 'Labels of the pods that serve it.', default: {} }),
    publishNotReadyAddresses: Type.Boolean({
      description: 'Whether pods that are not ready are served too.',
      default: false,
    }),
  },
  { description: 'What the service is.' },
);

const serviceStatusSchema = Type.Object(
  {
    loadBalancer: Type.Optional(
      Type.Object({
        ingress: Type.Optional(
          Type.Array(
            Type.Object({
              ip: Type.Optional(Type.String({ description: 'Address of the load balancer.' })),
              hostname: Type.Optional(Type.String({ description: 'DNS name of the load balancer.' })),
            }),
            { description: 'Where the load balancer takes traffic.' },
          ),
        ),
      }),
    ),
  },
  { description: 'What the cluster made of it.' },
);

/** The part of a core v1 Service that the model reads. */
export const serviceSchema = Type.Object({ spec: serviceSpecSchema, status: Type.Optional(serviceStatusSchema) });

/** Body of a core v1 Service: `spec`, and `status` when the source knows it. */
export type ServiceBody = Immutable<Static<typeof serviceSchema>>;
export type ServiceSpec = ServiceBody['spec'];
export type ServicePort = ServiceSpec['ports'][number];
