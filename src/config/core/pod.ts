import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

const containerSchema = Type.Object({
  name: Type.String({ description: 'Name of the container.' }),
  ports: Type.Array(
    Type.Object({
      name: Type.Optional(Type.String({ description: 'Name that a Service may use as targetPort.' })),
      containerPort: Type.Integer({ description: 'Port that the container listens on.', minimum: 1, maximum: 65535 }),
      protocol: Type.Enum(['TCP', 'UDP', 'SCTP'], { description: 'Transport protocol.', default: 'TCP' }),
    }),
    { description: 'Ports that the container declares.', default: [] },
  ),
});

const podSpecSchema = Type.Object({
  nodeName: Type.Optional(Type.String({ description: 'Node of the pod; absent before it is scheduled.' })),
  serviceAccountName: Type.String({ description: 'Service account of the pod.', default: 'default' }),
  hostname: Type.Optional(Type.String({ description: 'Host name of the pod.' })),
  subdomain: Type.Optional(Type.String({ description: 'Headless service that completes the host name.' })),
  hostNetwork: Type.Boolean({ description: "Whether the pod uses its node's network.", default: false }),
  containers: Type.Array(containerSchema, { description: 'Containers of the pod.', default: [] }),
});

const podStatusSchema = Type.Object(
  {
    phase: Type.Optional(Type.String({ description: 'Pending, Running, Succeeded, Failed or Unknown.' })),
    podIP: Type.Optional(Type.String({ description: 'Address of the pod.' })),
    podIPs: Type.Array(Type.Object({ ip: Type.String({ description: 'One address.' }) }), {
      description: 'All addresses of the pod, podIP first.',
      default: [],
    }),
    conditions: Type.Array(
      Type.Object({
        type: Type.String({ description: 'For example Ready.' }),
        status: Type.String({ description: 'True, False or Unknown.' }),
      }),
      { description: 'Current conditions of the pod.', default: [] },
    ),
  },
  { default: {} },
);

/** The part of a core v1 Pod that the model reads; labels and annotations are in its metadata. */
export const podSchema = Type.Object({ spec: podSpecSchema, status: podStatusSchema });

export type PodBody = Immutable<Static<typeof podSchema>>;
export type PodSpec = PodBody['spec'];
export type PodStatus = PodBody['status'];
