import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { NETWORKING_LIMITS } from './workload-entry.js';

/** Limits of one Sidecar. They limit the cost of one object. No valid object of ordinary use reaches them. */
const SIDECAR_LIMITS = {
  /** Items of `ingress`, and of `egress`. */
  listeners: 100,
  /** Hosts of one egress listener. */
  hosts: 1000,
} as const;

const { textLength: maxLength, perWorkload } = NETWORKING_LIMITS;
const CAPTURE_MODES = ['DEFAULT', 'IPTABLES', 'NONE'] as const;

const protocolSchema = Type.String({
  description:
    'HTTP, HTTPS, HTTP2, GRPC, GRPC-WEB, TLS, TCP, MONGO, REDIS, MYSQL or THRIFT in any case; if empty, the proxy detects it.',
  default: '',
  maxLength,
});

const portNameSchema = Type.String({ description: 'Name of the port, a DNS label.', default: '', maxLength });

const ingressPortSchema = Type.Object(
  {
    number: Type.Integer({
      description: 'Port that clients of the workload connect to, 1 to 65535.',
      minimum: 1,
      maximum: 65535,
    }),
    protocol: protocolSchema,
    name: portNameSchema,
  },
  { additionalProperties: false, description: 'The port of the listener.' },
);

const egressPortSchema = Type.Object(
  {
    number: Type.Integer({
      description: 'Port that the application connects to, 1 to 65535; 0 for a unix socket.',
      minimum: 0,
      maximum: 65535,
    }),
    protocol: protocolSchema,
    name: portNameSchema,
  },
  { additionalProperties: false, description: 'The port of the listener.' },
);

const ingressListenerSchema = Type.Object(
  {
    port: ingressPortSchema,
    bind: Type.String({
      description:
        'IP address of the listener, where it binds its port. Empty: the address of the workload. A captured listener has none.',
      default: '',
      maxLength,
    }),
    captureMode: Type.Enum([...CAPTURE_MODES], {
      description:
        'IPTABLES takes redirected connections, NONE binds the port, DEFAULT does as the other listeners of the proxy.',
      default: 'DEFAULT',
    }),
    defaultEndpoint: Type.String({
      description: 'Where the application listens: 127.0.0.1:<port>, :<port>, or unix:///path.',
      maxLength,
    }),
  },
  { additionalProperties: false, description: 'One port that the sidecar serves for its workload.' },
);

const egressListenerSchema = Type.Object(
  {
    port: Type.Optional(egressPortSchema),
    bind: Type.String({
      description:
        'IP address or unix:///path of the listener. Empty: the addresses of the services, or 127.0.0.1 where the listener binds its port.',
      default: '',
      maxLength,
    }),
    captureMode: Type.Enum([...CAPTURE_MODES], {
      description:
        'IPTABLES takes redirected connections, NONE binds the port, DEFAULT does as the other listeners of the proxy.',
      default: 'DEFAULT',
    }),
    hosts: Type.Array(Type.String({ maxLength }), {
      description:
        'Services of the listener: <namespace>/<host>. The namespace may be * for all, . for that of the workload, ~ for none; the host may be * or start with "*.".',
      minItems: 1,
      maxItems: SIDECAR_LIMITS.hosts,
    }),
  },
  { additionalProperties: false, description: 'Services that the workload may call, at one port or at all ports.' },
);

const egressProxySchema = Type.Object(
  {
    host: Type.String({ description: 'Full host of the service.', maxLength }),
    subset: Type.String({ description: 'Subset of the service; empty for all endpoints.', default: '', maxLength }),
    port: Type.Object(
      { number: Type.Integer({ description: 'Port of the service.', minimum: 1, maximum: 65535 }) },
      { additionalProperties: false, description: 'The port of the service.' },
    ),
  },
  { additionalProperties: false, description: 'The service that takes traffic to unknown destinations.' },
);

const outboundTrafficPolicySchema = Type.Object(
  {
    mode: Type.Enum(['REGISTRY_ONLY', 'ALLOW_ANY'], {
      description: 'ALLOW_ANY passes traffic to hosts of no service on, REGISTRY_ONLY rejects it.',
      default: 'REGISTRY_ONLY',
    }),
    egressProxy: Type.Optional(egressProxySchema),
  },
  { additionalProperties: false, description: 'What happens to traffic to hosts of no service in view.' },
);

/**
 * `spec` of a Sidecar (docs/reference/validation-rules.md#sidecar). A field with a default is optional in a file and
 * always present in the object that the model reads.
 */
export const sidecarSchema = Type.Object(
  {
    workloadSelector: Type.Optional(
      Type.Object(
        {
          labels: stringMap(Type.String({ maxLength }), {
            description: 'Labels. A workload must have all of them.',
            default: {},
            maxProperties: perWorkload,
          }),
        },
        { additionalProperties: false, description: 'Selects workloads of the same namespace by label.' },
      ),
    ),
    ingress: Type.Array(ingressListenerSchema, {
      description: 'Ports that the sidecar serves. Empty: the ports of the services that select the workload.',
      default: [],
      maxItems: SIDECAR_LIMITS.listeners,
    }),
    egress: Type.Array(egressListenerSchema, {
      description: 'Services that the workload may call.',
      minItems: 1,
      maxItems: SIDECAR_LIMITS.listeners,
    }),
    outboundTrafficPolicy: Type.Optional(outboundTrafficPolicySchema),
  },
  { additionalProperties: false, description: 'What the sidecars of workloads see and serve.' },
);

export type SidecarSpec = Immutable<Static<typeof sidecarSchema>>;
export type SidecarEgress = SidecarSpec['egress'][number];
export type SidecarIngress = SidecarSpec['ingress'][number];
