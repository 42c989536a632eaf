import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { NETWORKING_LIMITS, workloadEntrySchema } from './workload-entry.js';

const { textLength: maxLength, names: MAX_NAMES, perService: MAX_PER_SERVICE } = NETWORKING_LIMITS;

const serviceEntryPortSchema = Type.Object(
  {
    number: Type.Integer({
      description: 'Port that clients connect to, 1 to 65535; unique in the entry.',
      minimum: 1,
      maximum: 65535,
    }),
    name: Type.String({ description: 'Name of the port, a DNS label; unique in the entry.', maxLength }),
    protocol: Type.String({
      description:
        'HTTP, HTTPS, HTTP2, GRPC, GRPC-WEB, TLS, TCP, UDP, MONGO, REDIS, MYSQL or THRIFT in any case; if empty, the proxy detects it.',
      default: '',
      maxLength,
    }),
    targetPort: Type.Optional(
      Type.Integer({
        description: 'Port that the endpoints listen on; default: the same number.',
        minimum: 1,
        maximum: 65535,
      }),
    ),
  },
  { additionalProperties: false, description: 'One port of the service.' },
);

const workloadSelectorSchema = Type.Object(
  {
    labels: stringMap(Type.String({ maxLength }), {
      description: 'Labels. A workload must have all of them.',
      maxProperties: NETWORKING_LIMITS.perWorkload,
    }),
  },
  { additionalProperties: false, description: 'Selects workloads of the same namespace by label.' },
);

/**
 * `spec` of a ServiceEntry (docs/reference/validation-rules.md#serviceentry). A field with a default is optional in a
 * file and always present in the object that the model reads.
 */
export const serviceEntrySchema = Type.Object(
  {
    hosts: Type.Array(Type.String({ maxLength }), {
      description:
        'DNS names of the service. The first label may be a wildcard (*.example.com); * alone is not allowed.',
      minItems: 1,
      maxItems: MAX_PER_SERVICE,
    }),
    addresses: Type.Array(Type.String({ maxLength }), {
      description: 'Virtual IP addresses or CIDR ranges of the service; CIDR ranges need resolution NONE or STATIC.',
      default: [],
      maxItems: MAX_PER_SERVICE,
    }),
    ports: Type.Array(serviceEntryPortSchema, {
      description: 'Ports of the service.',
      default: [],
      maxItems: MAX_PER_SERVICE,
    }),
    location: Type.Enum(['MESH_EXTERNAL', 'MESH_INTERNAL'], {
      description: 'Whether the workloads are outside the mesh (no mutual TLS) or inside.',
      default: 'MESH_EXTERNAL',
    }),
    resolution: Type.Enum(['NONE', 'STATIC', 'DNS'], {
      description:
        'Source of the endpoint addresses: NONE keeps the address that the client connected to, STATIC uses the listed addresses, DNS resolves names.',
      default: 'NONE',
    }),
    endpoints: Type.Array(workloadEntrySchema, {
      description: 'The workloads of the service; not together with workloadSelector.',
      default: [],
      maxItems: NETWORKING_LIMITS.endpoints,
    }),
    workloadSelector: Type.Optional(workloadSelectorSchema),
    exportTo: Type.Array(Type.String({ maxLength }), {
      description:
        'Namespaces that see the service: * for all, . for its own, or names. Empty: defaultServiceExportTo of the mesh config.',
      default: [],
      maxItems: MAX_NAMES,
    }),
    subjectAltNames: Type.Array(Type.String({ maxLength }), {
      description: 'Names that a server of this service may present in its certificate.',
      default: [],
      maxItems: MAX_NAMES,
    }),
  },
  { additionalProperties: false, description: 'Adds a service to the mesh, for example one outside the cluster.' },
);

export type ServiceEntrySpec = Immutable<Static<typeof serviceEntrySchema>>;
export type ServiceEntryPort = ServiceEntrySpec['ports'][number];
