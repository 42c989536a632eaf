import type { Static } from 'typebox';
import * as Type from 'typebox';
import { MAX_REGEX_LENGTH } from '../regex/regex-size.js';
import type { Immutable } from '../schema/immutable.js';
import { attributesField } from './attributes.js';
import { LIMITS } from './limits.js';
import { exactlyOneOf } from './one-of.js';
import { MAX_URI_TEMPLATE_LENGTH } from './uri-template.js';

/** Requests of one method and path, and their attributes (docs/reference/policy-kinds.md#httpapispec). */
export const httpApiSpecPatternSchema = Type.Object(
  {
    attributes: Type.Optional(
      attributesField('Attributes of requests that match method and path; typically api.operation.'),
    ),
    httpMethod: Type.Optional(
      Type.String({
        description: 'HTTP method (RFC 7231) in upper case, for example GET; * (default) is any method.',
        minLength: 1,
        maxLength: 64,
        pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      }),
    ),
    uriTemplate: Type.Optional(
      Type.String({
        description:
          'URI template (RFC 6570): /pets, /pets/{id}, /words/{term:1}/{term}, /search{?q,lang}; * matches one segment, ** any number.',
        minLength: 1,
        maxLength: MAX_URI_TEMPLATE_LENGTH,
        pattern: '^/',
      }),
    ),
    regex: Type.Optional(
      Type.String({
        description:
          'Instead of uriTemplate: a regular expression in RE2 syntax that matches the whole path with its query.',
        minLength: 1,
        maxLength: MAX_REGEX_LENGTH,
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Requests of one method and path: exactly one of uriTemplate and regex is set.',
    oneOf: exactlyOneOf('uriTemplate', 'regex'),
  },
);

/** The place of the API key in a request; exactly one member is set (docs/reference/policy-kinds.md#api-keys). */
export const apiKeySchema = Type.Object(
  {
    query: Type.Optional(
      Type.String({ description: 'Name of the query parameter.', minLength: 1, maxLength: LIMITS.nameLength }),
    ),
    header: Type.Optional(
      Type.String({ description: 'Name of the request header.', minLength: 1, maxLength: LIMITS.nameLength }),
    ),
  },
  {
    additionalProperties: false,
    description: 'The place of the API key in a request: exactly one of query and header is set.',
    oneOf: exactlyOneOf('query', 'header'),
  },
);

/** `spec` of an HTTPAPISpec (docs/reference/policy-kinds.md#httpapispec). */
export const httpApiSpecSchema = Type.Object(
  {
    attributes: Type.Optional(
      attributesField('Attributes of requests that match any pattern; typically api.service and api.version.'),
    ),
    patterns: Type.Array(httpApiSpecPatternSchema, {
      description: 'The operations of the API. Without patterns, the spec only sets the place of the API key.',
      default: [],
      maxItems: LIMITS.rules,
    }),
    apiKeys: Type.Array(apiKeySchema, {
      description:
        'Places of the API key, in order; the first one that a request has is used. Default: query parameter key, query parameter api_key, header x-api-key.',
      default: [],
      maxItems: LIMITS.perRule,
    }),
  },
  {
    additionalProperties: false,
    description:
      'Attributes of requests by method and path, and the place of the API key. An HTTPAPISpecBinding applies it to services.',
  },
);

export type HttpApiSpecPattern = Immutable<Static<typeof httpApiSpecPatternSchema>>;
export type ApiKeySpec = Immutable<Static<typeof apiKeySchema>>;
export type HttpApiSpec = Immutable<Static<typeof httpApiSpecSchema>>;
