import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { MAX_KEY_SET_BYTES } from './json-web-keys.js';
import { workloadSelectorSchema } from './workload-selector.js';

/** An object is sent to each workload that it selects. */
const MAX_RULES = 32;
const MAX_VALUES = 64;
const MAX_LOCATIONS = 16;
const MAX_VALUE_LENGTH = 1024;
const MAX_NAME_LENGTH = 256;
const MAX_URI_LENGTH = 2048;

const headerSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the header.', minLength: 1, maxLength: MAX_NAME_LENGTH }),
    prefix: Type.Optional(
      Type.String({
        description: 'Text before the token, for example "Bearer ". A header without it has no token.',
        maxLength: MAX_NAME_LENGTH,
      }),
    ),
  },
  { additionalProperties: false, description: 'A header with a token.' },
);

const jwtRuleSchema = Type.Object(
  {
    issuer: Type.String({
      description: 'Issuer of the tokens, claim iss.',
      minLength: 1,
      maxLength: MAX_VALUE_LENGTH,
    }),
    audiences: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_VALUE_LENGTH }), {
        description: 'Audiences, claim aud: a token must have one of them. Empty: any.',
        maxItems: MAX_VALUES,
      }),
    ),
    jwksUri: Type.Optional(
      Type.String({
        description:
          'URL of the public keys (JWKS), http or https; the control plane fetches it. Without jwksUri and jwks it is taken from the OpenID discovery document of the issuer.',
        maxLength: MAX_URI_LENGTH,
      }),
    ),
    jwks: Type.Optional(
      Type.String({
        description: 'The public keys themselves (JWKS), as JSON. jwksUri has no effect then.',
        maxLength: MAX_KEY_SET_BYTES,
      }),
    ),
    fromHeaders: Type.Optional(
      Type.Array(headerSchema, {
        description:
          'Headers with tokens. Without fromHeaders and fromParams: the header Authorization with prefix "Bearer ", and the query parameter access_token.',
        maxItems: MAX_LOCATIONS,
      }),
    ),
    fromParams: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }), {
        description: 'Query parameters with tokens.',
        maxItems: MAX_LOCATIONS,
      }),
    ),
    outputPayloadToHeader: Type.Optional(
      Type.String({
        description: 'Header in which the workload gets the payload of a valid token, encoded as base64url.',
        maxLength: MAX_NAME_LENGTH,
      }),
    ),
    forwardOriginalToken: Type.Boolean({
      description: 'Whether the workload gets the token itself.',
      default: false,
    }),
  },
  { additionalProperties: false, description: 'Tokens of one issuer.' },
);

/**
 * `spec` of a RequestAuthentication (docs/reference/validation-rules.md#requestauthentication). Without a selector it
 * applies to the workloads of its namespace, and in the root namespace to the whole mesh.
 */
export const requestAuthenticationSchema = Type.Object(
  {
    selector: Type.Optional(workloadSelectorSchema),
    jwtRules: Type.Optional(
      Type.Array(jwtRuleSchema, {
        description:
          'Rules. A request with a token must have a valid token of one of them; a request without a token passes.',
        maxItems: MAX_RULES,
      }),
    ),
  },
  { additionalProperties: false, description: 'Which tokens (JWT) of requests workloads verify.' },
);

export type RequestAuthenticationSpec = Immutable<Static<typeof requestAuthenticationSchema>>;
export type JwtRule = NonNullable<RequestAuthenticationSpec['jwtRules']>[number];
