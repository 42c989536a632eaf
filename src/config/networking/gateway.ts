import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { serverTlsSchema } from './gateway-tls.js';
import { NETWORKING_LIMITS } from './workload-entry.js';

const { textLength: maxLength, perWorkload: maxProperties } = NETWORKING_LIMITS;

/** Servers of a gateway, and hosts of a server: each host of a TLS server is in a filter chain of its own listener. */
const MAX_SERVERS = 64;
const MAX_HOSTS = 256;

const serverPortSchema = Type.Object(
  {
    number: Type.Integer({
      description: 'Port that clients connect to, 1 to 65535.',
      minimum: 1,
      maximum: 65535,
    }),
    protocol: Type.String({
      description: 'HTTP, HTTPS, HTTP2, GRPC, GRPC-WEB, TLS, TCP, MONGO, REDIS, MYSQL or THRIFT in any case.',
      minLength: 1,
      maxLength,
    }),
    name: Type.String({ description: 'Name of the port, a DNS label; unique in the gateway.', maxLength }),
    targetPort: Type.Optional(
      Type.Integer({
        description:
          'Port that the router listens on. Default: the target port that a Service of the router has for the number, else the number.',
        minimum: 1,
        maximum: 65535,
      }),
    ),
  },
  { additionalProperties: false, description: 'The port of a server.' },
);

const serverSchema = Type.Object(
  {
    port: serverPortSchema,
    bind: Type.Optional(
      Type.String({
        description: 'IP address that the router listens on. Default: all addresses.',
        maxLength,
      }),
    ),
    hosts: Type.Array(Type.String({ maxLength }), {
      description:
        'Hosts that the server takes: a DNS name, *.example.com or *, optionally after the namespace of the virtual services that may bind to it: ns/host, ./host for the namespace of the gateway, */host for all.',
      minItems: 1,
      maxItems: MAX_HOSTS,
    }),
    tls: Type.Optional(serverTlsSchema),
    defaultEndpoint: Type.Optional(
      Type.String({
        description:
          'Destination of connections and requests that no virtual service routes: 127.0.0.1:port, :port or unix:///path.',
        maxLength,
      }),
    ),
    name: Type.Optional(Type.String({ description: 'Name of the server, unique in the gateway.', maxLength })),
  },
  { additionalProperties: false, description: 'One port and the hosts that it takes.' },
);

/** `spec` of a Gateway (docs/reference/validation-rules.md#gateway). */
export const gatewaySchema = Type.Object(
  {
    servers: Type.Array(serverSchema, {
      description: 'Ports that the selected routers serve.',
      minItems: 1,
      maxItems: MAX_SERVERS,
    }),
    selector: stringMap(Type.String({ maxLength }), {
      description: 'Labels of the routers (proxies of type router) that the gateway configures. Empty: all routers.',
      default: {},
      maxProperties,
    }),
  },
  { additionalProperties: false, description: 'Ports, hosts and certificates of router proxies.' },
);

export type GatewaySpec = Immutable<Static<typeof gatewaySchema>>;
export type GatewayServerSpec = GatewaySpec['servers'][number];
