import type { Static } from 'typebox';
import * as Type from 'typebox';
import { exactlyOneOf } from '../policy/one-of.js';
import type { Immutable } from '../schema/immutable.js';
import { destinationSchema, headersSchema, httpDestinationsSchema } from './virtual-service-destination.js';
import { VIRTUAL_SERVICE_LIMITS } from './virtual-service-limits.js';
import { httpMatchSchema, textMatch } from './virtual-service-match.js';

const { nameLength, textLength, perCondition, matches } = VIRTUAL_SERVICE_LIMITS;

const duration = (description: string) => Type.Optional(Type.String({ description, maxLength: 100 }));

const percentage = (description: string) =>
  Type.Optional(
    Type.Object(
      { value: Type.Optional(Type.Number({ description: 'Percent, 0 to 100; default 0.', minimum: 0, maximum: 100 })) },
      { additionalProperties: false, description },
    ),
  );

const wholePercent = (description: string) => Type.Optional(Type.Integer({ description, minimum: 0, maximum: 100 }));

const redirectSchema = Type.Object(
  {
    uri: Type.Optional(Type.String({ description: 'Path of the new location.', maxLength: textLength })),
    authority: Type.Optional(Type.String({ description: 'Host of the new location.', maxLength: nameLength })),
    redirectCode: Type.Optional(Type.Integer({ description: '301 (default), 302, 303, 307 or 308.', minimum: 0 })),
  },
  { additionalProperties: false, description: 'Answers with a redirect.' },
);

const delegateSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the VirtualService.', minLength: 1, maxLength: nameLength }),
    namespace: Type.Optional(
      Type.String({ description: 'Namespace of it; default: that of this object.', maxLength: nameLength }),
    ),
  },
  {
    additionalProperties: false,
    description: 'A VirtualService without hosts, whose routes take this place (NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE).',
  },
);

const rewriteSchema = Type.Object(
  {
    uri: Type.Optional(
      Type.String({
        description: 'Replaces the matched prefix, or the whole path of other matches.',
        maxLength: textLength,
      }),
    ),
    authority: Type.Optional(Type.String({ description: 'Replaces the Host header.', maxLength: nameLength })),
  },
  { additionalProperties: false, description: 'Changes the request before it is forwarded.' },
);

const retrySchema = Type.Object(
  {
    attempts: Type.Integer({
      description: 'Retries beside the first attempt; 0 turns retries off.',
      minimum: 0,
      maximum: 1000,
    }),
    perTryTimeout: duration('Timeout of each attempt; default: that of the route.'),
    retryOn: Type.Optional(
      Type.String({
        description:
          'Conditions of Envoy and status codes, separated by commas; default: connect-failure, refused-stream, unavailable, cancelled, 503.',
        maxLength: textLength,
      }),
    ),
    retryRemoteLocalities: Type.Optional(
      Type.Boolean({ description: 'Retries also go to endpoints of other localities.' }),
    ),
  },
  { additionalProperties: false, description: 'Retries of failed requests.' },
);

const delaySchema = Type.Object(
  {
    percent: wholePercent('Deprecated: share of the requests; use percentage.'),
    fixedDelay: duration('Delay of a request.'),
    exponentialDelay: duration('Not supported by Envoy.'),
    percentage: percentage('Share of the requests; default: all.'),
  },
  { additionalProperties: false, description: 'Delays requests before they are forwarded.' },
);

const abortSchema = Type.Object(
  {
    httpStatus: Type.Optional(Type.Integer({ description: 'Status of the response, 200 to 600.', minimum: 0 })),
    grpcStatus: Type.Optional(
      Type.String({ description: 'gRPC status of the response, for example UNAVAILABLE.', maxLength: 64 }),
    ),
    http2Error: Type.Optional(Type.String({ description: 'Not supported by Envoy.', maxLength: 64 })),
    percentage: percentage('Share of the requests; default: all.'),
  },
  {
    additionalProperties: false,
    description: 'Answers requests with an error. Exactly one of httpStatus, grpcStatus and http2Error is set.',
    oneOf: exactlyOneOf('httpStatus', 'grpcStatus', 'http2Error'),
  },
);

const faultSchema = Type.Object(
  { delay: Type.Optional(delaySchema), abort: Type.Optional(abortSchema) },
  { additionalProperties: false, description: 'Faults for tests of callers.', minProperties: 1 },
);

const texts = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: nameLength }), { description, maxItems: perCondition }));

const corsPolicySchema = Type.Object(
  {
    allowOrigin: texts('Deprecated: origins, or *; use allowOrigins.'),
    allowOrigins: Type.Optional(
      Type.Array(textMatch('An origin.'), { description: 'Origins, one of which must match.', maxItems: perCondition }),
    ),
    allowMethods: texts('Methods that the answer to a preflight lists.'),
    allowHeaders: texts('Request headers that the answer to a preflight lists.'),
    exposeHeaders: texts('Response headers that scripts may read.'),
    maxAge: duration('Time for which browsers may keep the answer to a preflight.'),
    allowCredentials: Type.Optional(Type.Boolean({ description: 'Requests may carry credentials.' })),
  },
  { additionalProperties: false, description: 'Cross-origin requests of browsers.' },
);

export const httpRouteSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'Name of the route, for access logs.', maxLength: nameLength })),
    match: Type.Optional(
      Type.Array(httpMatchSchema, {
        description: 'Conditions, one of which must match; absent: every request.',
        maxItems: matches,
      }),
    ),
    route: Type.Optional(httpDestinationsSchema),
    redirect: Type.Optional(redirectSchema),
    delegate: Type.Optional(delegateSchema),
    rewrite: Type.Optional(rewriteSchema),
    timeout: duration('Timeout of a request; default: MESH_DEFAULT_REQUEST_TIMEOUT.'),
    retries: Type.Optional(retrySchema),
    fault: Type.Optional(faultSchema),
    mirror: Type.Optional(destinationSchema),
    mirrorPercent: wholePercent('Deprecated: share of the requests that are mirrored; use mirrorPercentage.'),
    mirrorPercentage: percentage('Share of the requests that are mirrored; default: all.'),
    corsPolicy: Type.Optional(corsPolicySchema),
    headers: Type.Optional(headersSchema),
  },
  {
    additionalProperties: false,
    description: 'Requests and what happens to them. The first route that matches applies.',
  },
);

export type HttpRouteSpec = Immutable<Static<typeof httpRouteSchema>>;
export type RetrySpec = NonNullable<HttpRouteSpec['retries']>;
export type FaultSpec = NonNullable<HttpRouteSpec['fault']>;
export type CorsSpec = NonNullable<HttpRouteSpec['corsPolicy']>;
