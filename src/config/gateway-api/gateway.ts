import type { Static } from 'typebox';
import * as Type from 'typebox';
import { labelSelectorSchema } from '../injection/label-selector.js';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { GATEWAY_API_GROUP } from './gateway-api-names.js';
import {
  groupAndKind,
  MAX_NAME,
  MAX_TEXT,
  nameText,
  objectReference,
  optionalName,
  unread,
} from './object-reference.js';

const allowedRoutesSchema = Type.Object({
  namespaces: Type.Object(
    {
      from: Type.Enum(['All', 'Same', 'Selector', 'None'], {
        description: 'The namespaces whose routes may attach.',
        default: 'Same',
      }),
      selector: Type.Optional(labelSelectorSchema),
    },
    { description: 'The namespaces whose routes may attach.', default: {} },
  ),
  kinds: Type.Array(Type.Object(groupAndKind(GATEWAY_API_GROUP, '')), {
    description: 'The kinds of routes that may attach. Default: those that fit the protocol.',
    default: [],
    maxItems: 8,
  }),
});

const listenerTlsSchema = Type.Object({
  mode: Type.String({ description: 'Terminate or Passthrough.', default: 'Terminate', maxLength: MAX_NAME }),
  certificateRefs: Type.Array(Type.Object(objectReference('', 'Secret')), {
    description: 'The Secret with the certificate and its key.',
    default: [],
    maxItems: 64,
  }),
  options: Type.Optional(
    stringMap(Type.String({ maxLength: MAX_TEXT }), { description: 'Options of implementations; the mesh has none.' }),
  ),
});

const listenerSchema = Type.Object({
  name: nameText('Name of the listener, unique in the Gateway.'),
  hostname: optionalName('Host that the listener takes; the first label may be *. Default: every host.'),
  port: Type.Integer({ description: 'Port that clients connect to.', minimum: 1, maximum: 65535 }),
  protocol: nameText('HTTP or HTTPS.'),
  tls: Type.Optional(listenerTlsSchema),
  allowedRoutes: Type.Object(allowedRoutesSchema.properties, {
    default: {},
    description: 'The routes that may attach.',
  }),
});

/** `spec` of a Gateway of the Gateway API, as far as the mesh reads it. */
export const apiGatewaySchema = Type.Object({
  gatewayClassName: nameText('The GatewayClass.'),
  listeners: Type.Array(listenerSchema, { description: 'Ports and hosts.', default: [], maxItems: 64 }),
  addresses: Type.Array(
    Type.Object({
      type: Type.String({ description: 'Hostname or IPAddress.', default: 'IPAddress', maxLength: MAX_NAME }),
      value: optionalName('The host of a Service whose pods serve the Gateway, or one of its addresses.'),
    }),
    { description: 'The Service whose pods serve the Gateway.', default: [], maxItems: 16 },
  ),
  infrastructure: unread('Labels and parameters of proxies that the controller would deploy. The mesh deploys none.'),
  tls: unread('TLS with clients and backends.'),
  allowedListeners: unread('The ListenerSets that may attach.'),
  defaultScope: unread('Routes without parents.'),
});

export type ApiGatewaySpec = Immutable<Static<typeof apiGatewaySchema>>;
export type ListenerSpec = ApiGatewaySpec['listeners'][number];
