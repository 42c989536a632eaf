import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** Limits of one Ingress: each host and each TLS entry is a part of the listeners of all gateways. */
const INGRESS_LIMITS = {
  rules: 256,
  /** Paths of one rule. */
  paths: 1000,
  /** One Gateway has at most 64 servers, one of them for plaintext. */
  tls: 63,
  /** Hosts of one TLS entry. */
  tlsHosts: 256,
  /** Characters of a name or host. */
  nameLength: 253,
  /** Characters of a path. */
  pathLength: 1024,
} as const;

const { nameLength: maxLength } = INGRESS_LIMITS;

const backendSchema = Type.Object(
  {
    service: Type.Optional(
      Type.Object(
        {
          name: Type.String({
            description: 'Name of a Service of the namespace of the Ingress.',
            minLength: 1,
            maxLength,
          }),
          port: Type.Object(
            {
              number: Type.Optional(Type.Integer({ description: 'Number of the port.', minimum: 1, maximum: 65535 })),
              name: Type.Optional(Type.String({ description: 'Name of the port.', maxLength: 63 })),
            },
            { description: 'Port of the Service: exactly one of number and name.', default: {} },
          ),
        },
        { description: 'A Service that takes the requests.' },
      ),
    ),
    resource: Type.Optional(Type.Unknown({ description: 'An object of another kind. Not supported.' })),
  },
  { description: 'The destination of requests.' },
);

const pathSchema = Type.Object({
  path: Type.String({
    description: 'Path that requests must have.',
    default: '',
    maxLength: INGRESS_LIMITS.pathLength,
  }),
  pathType: Type.Enum(['Exact', 'Prefix', 'ImplementationSpecific'], {
    description:
      'Exact: the whole path. Prefix: its first elements, split by /. ImplementationSpecific: as Prefix, and a final /* is ignored.',
  }),
  backend: backendSchema,
});

const ruleSchema = Type.Object({
  host: Type.String({
    description: 'Host of the requests, *.example.com for one more label, or empty for every host.',
    default: '',
    maxLength,
  }),
  http: Type.Optional(
    Type.Object(
      {
        paths: Type.Array(pathSchema, {
          description: 'Paths with their destinations.',
          maxItems: INGRESS_LIMITS.paths,
        }),
      },
      { description: 'Absent: the default backend takes the requests of the host.' },
    ),
  ),
});

const tlsSchema = Type.Object({
  hosts: Type.Array(Type.String({ maxLength }), {
    description: 'Hosts of the certificate. Empty: the hosts of the rules.',
    default: [],
    maxItems: INGRESS_LIMITS.tlsHosts,
  }),
  secretName: Type.String({
    description: 'Secret of the namespace of the Ingress with the certificate and its key.',
    default: '',
    maxLength,
  }),
});

/** The part of a networking.k8s.io/v1 Ingress that the model reads. */
export const ingressSchema = Type.Object({
  spec: Type.Object(
    {
      ingressClassName: Type.Optional(Type.String({ description: 'Name of an IngressClass.', maxLength })),
      defaultBackend: Type.Optional(backendSchema),
      rules: Type.Array(ruleSchema, {
        description: 'Hosts with their paths.',
        default: [],
        maxItems: INGRESS_LIMITS.rules,
      }),
      tls: Type.Array(tlsSchema, {
        description: 'Certificates of hosts, for port 443.',
        default: [],
        maxItems: INGRESS_LIMITS.tls,
      }),
    },
    { description: 'The specification of the Ingress.' },
  ),
});

export type IngressBody = Immutable<Static<typeof ingressSchema>>;
export type IngressSpec = IngressBody['spec'];
export type IngressRule = IngressSpec['rules'][number];
export type IngressPath = NonNullable<IngressRule['http']>['paths'][number];
export type IngressBackend = IngressPath['backend'];
