import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

const maxLength = 1024;
const MAX_NAMES = 256;
const MAX_CIPHER_SUITES = 64;

/** Modes in which the router itself decrypts connections. */
const VERSIONS = ['TLS_AUTO', 'TLSV1_0', 'TLSV1_1', 'TLSV1_2', 'TLSV1_3'] as const;

function path(description: string) {
  return Type.Optional(Type.String({ description, maxLength }));
}

function names(description: string, maxItems = MAX_NAMES) {
  return Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength }), { description, maxItems }));
}

/** `tls` of a server. */
export const serverTlsSchema = Type.Object(
  {
    httpsRedirect: Type.Optional(
      Type.Boolean({ description: 'Redirects plaintext requests to https with status 301. Only for HTTP protocols.' }),
    ),
    mode: Type.Optional(
      Type.Enum(['PASSTHROUGH', 'SIMPLE', 'MUTUAL', 'AUTO_PASSTHROUGH', 'MESH_MUTUAL'], {
        description:
          'PASSTHROUGH: forwards encrypted bytes by server name (SNI). SIMPLE: presents a certificate. MUTUAL: also requires ' +
          'a certificate of the client. AUTO_PASSTHROUGH: forwards mutual TLS of the mesh to the service that its server ' +
          'name encodes. MESH_MUTUAL: mutual TLS with the certificate that the mesh issues. Default: PASSTHROUGH.',
      }),
    ),
    serverCertificate: path('File of the router with the certificate chain (PEM); SIMPLE and MUTUAL.'),
    privateKey: path('File of the router with the private key (PEM); SIMPLE and MUTUAL.'),
    caCertificates: path('File of the router with the root certificates of clients (PEM); MUTUAL.'),
    credentialName: Type.Optional(
      Type.String({
        description:
          'Name of the secret with certificate, key and, for MUTUAL, root certificates, in the namespace of the router. Instead of the files.',
        maxLength,
      }),
    ),
    subjectAltNames: names('Names of which the certificate of a client must have one; MUTUAL and MESH_MUTUAL.'),
    verifyCertificateSpki: names(
      'Base64 SHA-256 hashes of the public keys (SPKI) of accepted client certificates; MUTUAL and MESH_MUTUAL.',
    ),
    verifyCertificateHash: names('Hexadecimal SHA-256 hashes of accepted client certificates; MUTUAL and MESH_MUTUAL.'),
    minProtocolVersion: Type.Optional(
      Type.Enum([...VERSIONS], { description: 'Lowest TLS version. Default and TLS_AUTO: TLSV1_2.' }),
    ),
    maxProtocolVersion: Type.Optional(
      Type.Enum([...VERSIONS], { description: 'Highest TLS version. Default and TLS_AUTO: TLSV1_3.' }),
    ),
    cipherSuites: names(
      'Cipher suites of TLS 1.2 and below, in the names of OpenSSL. Default: those of Envoy.',
      MAX_CIPHER_SUITES,
    ),
  },
  { additionalProperties: false, description: 'TLS of a server.' },
);

export type ServerTlsSpec = Immutable<Static<typeof serverTlsSchema>>;
export type ServerTlsMode = NonNullable<ServerTlsSpec['mode']>;

/** The mode in force. */
export function modeOfTls({ mode }: ServerTlsSpec): ServerTlsMode {
  return mode ?? 'PASSTHROUGH';
}
