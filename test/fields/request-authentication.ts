import type { KindFields } from './kind-fields.js';

const VALID = 'a request without a token passes, one with a valid token too, and one with an invalid token is 401';
const HEADERS = 'a token is read from the headers of its rule, behind their prefix, and from nowhere else';

export const REQUEST_AUTHENTICATION: KindFields = {
  kind: 'RequestAuthentication',
  file: 'e2e/request-authentication.test.ts',
  fields: {
    'RequestAuthentication.selector': 'an object for other workloads changes nothing',
    'RequestAuthentication.jwtRules': VALID,
    'JWTRule.issuer': 'tokens of an issuer that no rule names are refused',
    'JWTRule.audiences': 'a token for none of the audiences is refused',
    'JWTRule.jwksUri':
      'keys are fetched from jwksUri, from its redirects, and from the discovery document of an issuer',
    'JWTRule.jwks': VALID,
    'JWTRule.fromHeaders': HEADERS,
    'JWTRule.fromParams': 'a token is read from the query parameter of its rule',
    'JWTRule.outputPayloadToHeader':
      'the workload gets the payload of a valid token, and never one that a client wrote',
    'JWTRule.forwardOriginalToken': 'the workload gets the token itself only where the rule says so',
    'JWTHeader.name': HEADERS,
    'JWTHeader.prefix': HEADERS,
  },
};
