import { isObjectName } from '../primitives.js';
import type { Violation } from '../violation.js';
import { modeOfTls, type ServerTlsSpec } from './gateway-tls.js';

/** The cipher suites that Envoy has. It rejects a whole listener for another one. */
const CIPHER_SUITES: readonly string[] = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA',
  'AES256-SHA',
];

const SPKI_HASH = /^[A-Za-z0-9+/]{43}=$/;
const CERTIFICATE_HASH = /^(?:[0-9A-Fa-f]{64}|[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){31})$/;

/** Rules of `tls` of a server with protocol HTTPS or TLS. Paths are relative to the server. */
export function validateServerTls(tls: ServerTlsSpec): readonly Violation[] {
  return [...validateCertificates(tls), ...validateVersions(tls), ...validateLists(tls)];
}

const FILES = ['serverCertificate', 'privateKey', 'caCertificates'] as const;
const FILES_OF_MODE = {
  SIMPLE: ['serverCertificate', 'privateKey'],
  MUTUAL: FILES,
  PASSTHROUGH: [],
  AUTO_PASSTHROUGH: [],
  MESH_MUTUAL: [],
} as const satisfies Record<string, readonly (typeof FILES)[number][]>;

function validateCertificates(tls: ServerTlsSpec): readonly Violation[] {
  const mode = modeOfTls(tls);
  const { credentialName = '' } = tls;
  if (mode === 'MESH_MUTUAL') {
    return [...FILES, 'credentialName' as const].flatMap((field) =>
      (tls[field] ?? '') === ''
        ? []
        : [
            {
              path: `tls.${field}`,
              value: tls[field],
              message: 'is set with mode MESH_MUTUAL, which uses the certificate of the mesh',
              remedy: 'remove it, or use mode SIMPLE or MUTUAL',
            },
          ],
    );
  }
  if (credentialName !== '') {
    if (credentialName.endsWith('-cacert')) {
      return [
        {
          path: 'tls.credentialName',
          value: credentialName,
          message: 'has the ending of secrets with root certificates',
          remedy: 'name the secret of the certificate; root certificates may be in <credentialName>-cacert',
        },
      ];
    }
    if (isObjectName(credentialName)) return [];
    return [
      {
        path: 'tls.credentialName',
        value: credentialName,
        message: 'is not the name of a secret',
        remedy: 'use lower-case letters, digits, hyphens and dots, without a namespace',
      },
    ];
  }
  return FILES_OF_MODE[mode].flatMap((field) =>
    (tls[field] ?? '') === ''
      ? [{ path: `tls.${field}`, message: `is missing for mode ${mode}`, remedy: 'name a file, or set credentialName' }]
      : [],
  );
}

const VERSION_RANK = { TLSV1_0: 0, TLSV1_1: 1, TLSV1_2: 2, TLSV1_3: 3 } as const;

function validateVersions({ minProtocolVersion, maxProtocolVersion }: ServerTlsSpec): readonly Violation[] {
  const lowest = rankOf(minProtocolVersion, 'TLSV1_2');
  const highest = rankOf(maxProtocolVersion, 'TLSV1_3');
  if (lowest <= highest) return [];
  const isLowestSet = minProtocolVersion !== undefined && minProtocolVersion !== 'TLS_AUTO';
  return [
    {
      path: 'tls.maxProtocolVersion',
      value: maxProtocolVersion,
      message: `is below ${isLowestSet ? `minProtocolVersion ${minProtocolVersion}` : 'the default minProtocolVersion TLSV1_2'}`,
      remedy: 'raise it, or lower minProtocolVersion',
    },
  ];
}

function rankOf(version: ServerTlsSpec['minProtocolVersion'], automatic: keyof typeof VERSION_RANK): number {
  return VERSION_RANK[version === undefined || version === 'TLS_AUTO' ? automatic : version];
}

function validateLists(tls: ServerTlsSpec): readonly Violation[] {
  const { cipherSuites = [], verifyCertificateSpki = [], verifyCertificateHash = [] } = tls;
  const suites = cipherSuites.flatMap((suite, index) =>
    CIPHER_SUITES.includes(suite)
      ? []
      : [
          {
            path: `tls.cipherSuites[${index}]`,
            value: suite,
            message: 'is not a cipher suite of Envoy',
            remedy: `use ${CIPHER_SUITES.join(', ')}`,
          },
        ],
  );
  const keys = verifyCertificateSpki.flatMap((hash, index) =>
    SPKI_HASH.test(hash)
      ? []
      : [
          {
            path: `tls.verifyCertificateSpki[${index}]`,
            value: hash,
            message: 'is not a SHA-256 hash in Base64',
            remedy:
              'use the output of: openssl x509 -pubkey -noout | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64',
          },
        ],
  );
  const certificates = verifyCertificateHash.flatMap((hash, index) =>
    CERTIFICATE_HASH.test(hash)
      ? []
      : [
          {
            path: `tls.verifyCertificateHash[${index}]`,
            value: hash,
            message: 'is not a SHA-256 hash in hexadecimal digits',
            remedy: 'use the output of: openssl x509 -noout -fingerprint -sha256',
          },
        ],
  );
  return [...suites, ...keys, ...certificates];
}
