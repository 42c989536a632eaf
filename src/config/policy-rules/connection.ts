import type { Static } from 'typebox';
import * as Type from 'typebox';
import { durationField } from '../policy/attributes.js';
import { exactlyOneOf, neverTogether } from '../policy/one-of.js';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { optionalText, text } from './fields.js';
import { RULE_LIMITS } from './limits.js';

const oauthSchema = Type.Object(
  {
    clientId: text('Client ID at the token server.'),
    clientSecret: text('Path of the file with the client secret.'),
    tokenUrl: text('URL of the token server.'),
    scopes: Type.Array(text('A scope.'), {
      description: 'Scopes that are requested.',
      default: [],
      maxItems: RULE_LIMITS.entries,
    }),
    endpointParams: stringMap(Type.String({ maxLength: RULE_LIMITS.textLength }), {
      description: 'More parameters of the token request.',
      default: {},
      maxProperties: RULE_LIMITS.entries,
    }),
  },
  { additionalProperties: false, description: 'Requests tokens with the client credentials of OAuth 2.0.' },
);

const tlsSchema = Type.Object(
  {
    caCertificates: optionalText('Path of the file with CA certificates that verify the adapter; default: the system.'),
    tokenPath: Type.Optional(text('Path of the file with the token. Excludes oauth.')),
    oauth: Type.Optional(oauthSchema),
    authHeader: Type.Optional(
      Type.Enum(['PLAIN', 'BEARER'], {
        description: 'Form of the token in the header authorization. Excludes customHeader.',
      }),
    ),
    customHeader: Type.Optional(text('Header with the token. Excludes authHeader.')),
    serverName: optionalText('Server name that is verified; default: the host of the address.'),
  },
  {
    additionalProperties: false,
    description: 'TLS, with a token if there is one.',
    allOf: neverTogether(['tokenPath', 'oauth'], ['authHeader', 'customHeader']),
  },
);

const mutualSchema = Type.Object(
  {
    privateKey: text('Path of the file with the private key.'),
    clientCertificate: text('Path of the file with the client certificate.'),
    caCertificates: optionalText('Path of the file with CA certificates that verify the adapter; default: the system.'),
    serverName: optionalText('Server name that is verified; default: the host of the address.'),
  },
  { additionalProperties: false, description: 'Mutual TLS.' },
);

/** How to reach an adapter that runs as a program of its own (docs/policy-rules.md#adapters-of-your-own). */
export const connectionSchema = Type.Object(
  {
    address: text('Host and port, for example my-adapter.shop:9000, or [::1]:9000.', 512),
    timeout: Type.Optional(durationField({ description: 'Longest time for a call; default: 5s.' })),
    authentication: Type.Optional(
      Type.Object(
        { tls: Type.Optional(tlsSchema), mutual: Type.Optional(mutualSchema) },
        {
          additionalProperties: false,
          description: 'How the connection is secured: tls or mutual. Absent: plaintext.',
          oneOf: exactlyOneOf('tls', 'mutual'),
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'How to reach the adapter.' },
);

export type ConnectionSpec = Immutable<Static<typeof connectionSchema>>;
