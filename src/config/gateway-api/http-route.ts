import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { GATEWAY_API_GROUP } from './gateway-api-names.js';
import { backendReference, filterSchema } from './http-route-filter.js';
import { MAX_TEXT, nameText, objectReference, optionalName, portNumber, unread } from './object-reference.js';

const parentSchema = Type.Object({
  ...objectReference(GATEWAY_API_GROUP, 'Gateway'),
  sectionName: optionalName('Name of the listener. Default: every listener.'),
  port: portNumber('Port of the listener. Default: every port.'),
});

const valueMatches = (description: string) =>
  Type.Array(
    Type.Object({
      type: Type.String({ description: 'Exact or RegularExpression.', default: 'Exact', maxLength: 64 }),
      name: nameText('Name of the header or parameter.'),
      value: Type.String({ description: 'The value, or an expression that matches all of it.', maxLength: MAX_TEXT }),
    }),
    { description, default: [], maxItems: 16 },
  );

const matchSchema = Type.Object({
  path: Type.Object(
    {
      type: Type.String({
        description: 'Exact, PathPrefix or RegularExpression.',
        default: 'PathPrefix',
        maxLength: 64,
      }),
      value: Type.String({ description: 'The path.', default: '/', maxLength: 1024 }),
    },
    { description: 'The path. Default: every path.', default: {} },
  ),
  headers: valueMatches('Headers; all must match.'),
  queryParams: valueMatches('Query parameters; all must match.'),
  method: optionalName('Method.'),
});

const backendSchema = Type.Object({
  ...backendReference,
  weight: Type.Integer({ description: 'Share of the requests.', default: 1, minimum: 0, maximum: 1_000_000 }),
  filters: Type.Array(filterSchema, { description: 'Filters of this backend.', default: [], maxItems: 16 }),
});

const ruleSchema = Type.Object({
  name: optionalName('Name of the rule.'),
  matches: Type.Array(matchSchema, { description: 'Conditions, one of which must hold.', default: [], maxItems: 64 }),
  filters: Type.Array(filterSchema, { description: 'Changes of requests and responses.', default: [], maxItems: 16 }),
  backendRefs: Type.Array(backendSchema, { description: 'Services that get the requests.', default: [], maxItems: 16 }),
  timeouts: Type.Optional(
    Type.Object({
      request: Type.Optional(Type.String({ description: 'For the whole request.', maxLength: 64 })),
      backendRequest: Type.Optional(Type.String({ description: 'For each attempt.', maxLength: 64 })),
    }),
  ),
  retry: unread('Retries.'),
  sessionPersistence: unread('Requests of a session get the same endpoint.'),
});

/** `spec` of an HTTPRoute, as far as the mesh reads it. */
export const httpRouteSchema = Type.Object({
  parentRefs: Type.Array(parentSchema, { description: 'Gateways of the route.', default: [], maxItems: 32 }),
  hostnames: Type.Array(Type.String({ maxLength: 253, minLength: 1 }), {
    description: 'Hosts. Default: those of the listener.',
    default: [],
    maxItems: 16,
  }),
  rules: Type.Array(ruleSchema, { description: 'Rules. Default: one for every request.', default: [{}], maxItems: 16 }),
  useDefaultGateways: unread('Attaches to Gateways that are the default.'),
});

export type HttpRouteSpec = Immutable<Static<typeof httpRouteSchema>>;
export type ParentReference = HttpRouteSpec['parentRefs'][number];
export type HttpRouteRule = HttpRouteSpec['rules'][number];
export type HttpRouteMatchSpec = HttpRouteRule['matches'][number];
export type HttpBackendSpec = HttpRouteRule['backendRefs'][number];
