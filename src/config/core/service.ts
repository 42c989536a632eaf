import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';

const servicePortSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the port; may be empty if the service has one port.', default: '' }),
    port: Type.Integer({ description: 'Port that clients connect to.', minimum: 1, maximum: 65535 }),
    protocol: Type.Enum(['TCP', 'UDP', 'SCTP'], { description: 'Transport protocol.', default: 'TCP' }),
    appProtocol: Type.Optional(
      Type.String({ description: 'Application protocol. It has precedence over the prefix of the name.' }),
    ),
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
    externalName: Type.Optional(Type.String({ description: 'DNS name of a service of type ExternalName.' })),
    externalIPs: Type.Optional(Type.Array(Type.String(), { description: 'Further addresses that reach the service.' })),
    ports: Type.Array(servicePortSchema, { description: 'Ports of the service.', default: [] }),
    selector: stringMap(Type.String(), { description: 'Labels of the pods of the service.', default: {} }),
    publishNotReadyAddresses: Type.Boolean({
      description: 'Whether the endpoints include pods that are not ready.',
      default: false,
    }),
  },
  { description: 'The specification of the service.' },
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
            { description: 'Addresses of the load balancer.' },
          ),
        ),
      }),
    ),
  },
  { description: 'The state of the service in the cluster.' },
);

/** The part of a core v1 Service that the model reads. */
export const serviceSchema = Type.Object({ spec: serviceSpecSchema, status: Type.Optional(serviceStatusSchema) });

/** Body of a core v1 Service: `spec`, and `status` if the source has it. */
export type ServiceBody = Immutable<Static<typeof serviceSchema>>;
export type ServiceSpec = ServiceBody['spec'];
export type ServicePort = ServiceSpec['ports'][number];
