import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { connectionDestinationsSchema } from './virtual-service-destination.js';
import { httpRouteSchema } from './virtual-service-http.js';
import { VIRTUAL_SERVICE_LIMITS } from './virtual-service-limits.js';
import { tcpMatchSchema, tlsMatchSchema } from './virtual-service-match.js';
import { NETWORKING_LIMITS } from './workload-entry.js';

const { hosts, gateways, routes, matches, nameLength } = VIRTUAL_SERVICE_LIMITS;

const tlsRouteSchema = Type.Object(
  {
    match: Type.Array(tlsMatchSchema, {
      description: 'Conditions, one of which must match.',
      minItems: 1,
      maxItems: matches,
    }),
    route: connectionDestinationsSchema,
  },
  {
    additionalProperties: false,
    description: 'TLS connections, which are passed on encrypted, and their destinations.',
  },
);

const tcpRouteSchema = Type.Object(
  {
    match: Type.Optional(
      Type.Array(tcpMatchSchema, {
        description: 'Conditions, one of which must match; absent: every connection.',
        maxItems: matches,
      }),
    ),
    route: connectionDestinationsSchema,
  },
  { additionalProperties: false, description: 'Connections and their destinations.' },
);

/** `spec` of a VirtualService (docs/reference/validation-rules.md#virtualservice). */
export const virtualServiceSchema = Type.Object(
  {
    hosts: Type.Array(Type.String({ maxLength: nameLength + 2 }), {
      description:
        'Hosts that callers ask for: DNS names, IP addresses, or names whose first label is a wildcard. A name without dots is a Service of the namespace of the object. Empty for a delegate.',
      default: [],
      maxItems: hosts,
    }),
    gateways: Type.Array(Type.String({ maxLength: nameLength * 2 }), {
      description: 'Gateways that use the routes, as <namespace>/<name>; mesh for sidecars. Default: mesh.',
      default: [],
      maxItems: gateways,
    }),
    http: Type.Array(httpRouteSchema, {
      description: 'Routes of HTTP requests, in order.',
      default: [],
      maxItems: routes,
    }),
    tls: Type.Array(tlsRouteSchema, {
      description: 'Routes of TLS connections that are not terminated, in order.',
      default: [],
      maxItems: routes,
    }),
    tcp: Type.Array(tcpRouteSchema, {
      description: 'Routes of other connections, in order.',
      default: [],
      maxItems: routes,
    }),
    exportTo: Type.Array(Type.String({ maxLength: nameLength }), {
      description:
        'Namespaces whose proxies use the routes: * for all, . for its own, or names. Empty: defaultVirtualServiceExportTo of the mesh config.',
      default: [],
      maxItems: NETWORKING_LIMITS.names,
    }),
  },
  { additionalProperties: false, description: 'How requests and connections to hosts are routed.' },
);

export type VirtualServiceSpec = Immutable<Static<typeof virtualServiceSchema>>;
export type TlsRouteSpec = VirtualServiceSpec['tls'][number];
export type TcpRouteSpec = VirtualServiceSpec['tcp'][number];
