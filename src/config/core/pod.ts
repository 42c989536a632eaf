import type { Static } from 'typebox';
import * as Type from 'typebox';
import { isRecord } from '../../base/record.js';
import type { Immutable } from '../schema/immutable.js';

const containerSchema = Type.Object({
  name: Type.String({ description: 'Name of the container.' }),
  image: Type.Optional(Type.Unknown({ description: 'Image of the container; only that of the proxy is kept.' })),
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
  initContainers: Type.Optional(
    Type.Unknown({ description: 'Init containers; one may be the proxy, of which only the image is kept.' }),
  ),
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

type WrittenPod = Immutable<Static<typeof podSchema>>;

/** The part of a Pod that the model keeps. */
export interface PodBody {
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

export interface PodSpec extends Omit<WrittenPod['spec'], 'containers' | 'initContainers'> {
  readonly containers: readonly PodContainer[];
  /** Image of the injected proxy; absent without one. */
  readonly proxyImage?: string;
}

export type PodContainer = Omit<WrittenPod['spec']['containers'][number], 'image'>;
export type PodStatus = WrittenPod['status'];

/** Name of the container that injection adds. */
const PROXY_CONTAINER = 'mesh-proxy';
const MAX_KNOWN_IMAGES = 100;

/** Returns a function that leaves out what the model does not keep of a Pod. Equal images are one text. */
export function createPodReducer(): (pod: PodBody) => PodBody {
  const known = new Map<string, string>();
  const shared = (image: string): string => {
    const first = known.get(image);
    if (first !== undefined) return first;
    if (known.size < MAX_KNOWN_IMAGES) known.set(image, image);
    return image;
  };
  return (pod) => {
    const { containers, initContainers, ...spec } = (pod as WrittenPod).spec;
    const image = proxyImageOf(containers) ?? proxyImageOf(initContainers);
    return {
      spec: {
        ...spec,
        containers: containers.map(({ name, ports }) => ({ name, ports })),
        ...(image === undefined ? {} : { proxyImage: shared(image) }),
      },
      status: pod.status,
    };
  };
}

function proxyImageOf(containers: unknown): string | undefined {
  if (!Array.isArray(containers)) return undefined;
  const proxy: unknown = containers.find((each) => isRecord(each) && each['name'] === PROXY_CONTAINER);
  return isRecord(proxy) && typeof proxy['image'] === 'string' ? proxy['image'] : undefined;
}
