import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { MAX_NAME, MAX_TEXT, nameText, objectReference, optionalName, portNumber, unread } from './object-reference.js';

const headersSchema = Type.Array(
  Type.Object({
    name: nameText('Name of the header.'),
    value: Type.String({ description: 'Its value.', maxLength: MAX_TEXT }),
  }),
  { default: [], maxItems: 16 },
);

const headerChangesSchema = Type.Object({
  set: headersSchema,
  add: headersSchema,
  remove: Type.Array(nameText('Name of the header.'), { default: [], maxItems: 16 }),
});

const pathChangeSchema = Type.Object({
  type: nameText('ReplaceFullPath or ReplacePrefixMatch.'),
  replaceFullPath: Type.Optional(Type.String({ description: 'The new path.', maxLength: 1024 })),
  replacePrefixMatch: Type.Optional(Type.String({ description: 'Replaces the matched prefix.', maxLength: 1024 })),
});

const redirectSchema = Type.Object({
  scheme: optionalName('http or https.'),
  hostname: optionalName('The new host.'),
  path: Type.Optional(pathChangeSchema),
  port: portNumber('The new port.'),
  statusCode: Type.Integer({ description: '301, 302, 303, 307 or 308.', default: 302 }),
});

const rewriteSchema = Type.Object({
  hostname: optionalName('The new host.'),
  path: Type.Optional(pathChangeSchema),
});

/** A Service and its port. */
export const backendReference = {
  ...objectReference('', 'Service'),
  port: portNumber('Port of the Service.'),
};

const mirrorSchema = Type.Object({
  backendRef: Type.Object(backendReference),
  percent: Type.Optional(Type.Integer({ description: 'Percentage of the requests.', minimum: 0, maximum: 100 })),
  fraction: Type.Optional(
    Type.Object({
      numerator: Type.Integer({ description: 'Numerator.', minimum: 0 }),
      denominator: Type.Integer({ description: 'Denominator.', minimum: 1, default: 100 }),
    }),
  ),
});

const texts = (description: string) =>
  Type.Array(Type.String({ maxLength: MAX_NAME }), { description, default: [], maxItems: 64 });

const corsSchema = Type.Object({
  allowOrigins: texts('Origins, which may have * in place of labels of the host.'),
  allowMethods: texts('Methods.'),
  allowHeaders: texts('Headers of requests.'),
  exposeHeaders: texts('Headers of responses.'),
  allowCredentials: Type.Boolean({ description: 'Whether requests may have credentials.', default: false }),
  maxAge: Type.Integer({ description: 'Seconds for which a browser may keep the answer.', default: 5, minimum: 1 }),
});

/** A filter of a rule or of a backend; `type` names the one member that is set. */
export const filterSchema = Type.Object({
  type: nameText('The kind of filter.'),
  requestHeaderModifier: Type.Optional(headerChangesSchema),
  responseHeaderModifier: Type.Optional(headerChangesSchema),
  requestRedirect: Type.Optional(redirectSchema),
  urlRewrite: Type.Optional(rewriteSchema),
  requestMirror: Type.Optional(mirrorSchema),
  cors: Type.Optional(corsSchema),
  externalAuth: unread('A server that decides about requests.'),
  extensionRef: unread('A filter of an implementation.'),
});

export type FilterSpec = Immutable<Static<typeof filterSchema>>;
export type HeaderChangesSpec = Immutable<Static<typeof headerChangesSchema>>;
export type PathChangeSpec = Immutable<Static<typeof pathChangeSchema>>;
export type RedirectSpec = Immutable<Static<typeof redirectSchema>>;
export type MirrorSpec = Immutable<Static<typeof mirrorSchema>>;
export type CorsFilterSpec = Immutable<Static<typeof corsSchema>>;
export type BackendReference = MirrorSpec['backendRef'];
