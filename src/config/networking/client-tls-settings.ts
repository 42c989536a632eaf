import type { Static } from 'typebox';
import * as Type from 'typebox';
import { isObjectName } from '../primitives.js';
import type { Immutable } from '../schema/immutable.js';
import type { Violation } from '../violation.js';

const MAX_NAMES = 256;
const MAX_NAME = 1024;
const MAX_SNI = 255;
const MAX_PATH = 4096;

const path = (description: string) => Type.Optional(Type.String({ description, minLength: 1, maxLength: MAX_PATH }));

/** `tls` of a DestinationRule. */
export const clientTlsSettingsSchema = Type.Object(
  {
    mode: Type.Enum(['DISABLE', 'SIMPLE', 'MUTUAL', 'MESH_MUTUAL'], {
      description:
        'DISABLE: plaintext. SIMPLE: TLS. MUTUAL: TLS with the client certificate given here. MESH_MUTUAL: mutual TLS with certificates of the mesh.',
    }),
    clientCertificate: path('Path of the client certificate beside the proxy; with MUTUAL.'),
    privateKey: path('Path of its private key beside the proxy; with MUTUAL.'),
    caCertificates: path(
      'Path of the root certificates that the server certificate must lead to. Without it, servers are not verified.',
    ),
    credentialName: Type.Optional(
      Type.String({
        description:
          'Secret with the certificates, in the namespace of the gateway; for gateways only. Not together with files.',
        minLength: 1,
        maxLength: 253,
      }),
    ),
    subjectAltNames: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_NAME }), {
        description: 'Names of which the server certificate must have one; default: those of the ServiceEntry.',
        maxItems: MAX_NAMES,
      }),
    ),
    sni: Type.Optional(Type.String({ description: 'Server name of the handshake.', minLength: 1, maxLength: MAX_SNI })),
  },
  { additionalProperties: false, description: 'How connections to the host are secured.' },
);

export type ClientTlsSettings = Immutable<Static<typeof clientTlsSettingsSchema>>;

const FILES = ['clientCertificate', 'privateKey', 'caCertificates'] as const;
const SNI = /^[\x21-\x7e]+$/;
/** Control characters, and halves of characters outside the basic plane, which Envoy cannot read. */
const UNREADABLE = /[\p{Cc}\p{Surrogate}]/u;

/** The rules that the schema cannot express (docs/reference/validation-rules.md#destinationrule). */
export function validateClientTls(tls: ClientTlsSettings, at: string): readonly Violation[] {
  const violations = [...validateTexts(tls, at)];
  const files = FILES.filter((field) => tls[field] !== undefined);
  if (tls.credentialName !== undefined && files.length > 0) {
    violations.push({
      path: `${at}.credentialName`,
      value: tls.credentialName,
      message: `is set together with ${files.join(' and ')}`,
      remedy: 'keep the secret, or the files',
    });
  }
  switch (tls.mode) {
    case 'DISABLE':
      break;
    case 'SIMPLE':
      violations.push(...validateSimple(tls, at));
      break;
    case 'MUTUAL':
      violations.push(...validateMutual(tls, at));
      break;
    case 'MESH_MUTUAL':
      violations.push(...validateMeshMutual(tls, at));
      break;
  }
  if (
    (tls.mode === 'SIMPLE' || tls.mode === 'MUTUAL') &&
    verifiesNothing(tls) &&
    (tls.subjectAltNames ?? []).length > 0
  ) {
    violations.push({
      path: `${at}.subjectAltNames`,
      value: tls.subjectAltNames,
      message: 'are set without caCertificates, so a server could sign any name itself',
      remedy: 'set caCertificates, or a credentialName whose secret has root certificates',
    });
  }
  return violations;
}

function verifiesNothing({ caCertificates, credentialName }: ClientTlsSettings): boolean {
  return caCertificates === undefined && credentialName === undefined;
}

function* validateSimple(tls: ClientTlsSettings, at: string): Iterable<Violation> {
  for (const field of ['clientCertificate', 'privateKey'] as const) {
    if (tls[field] === undefined) continue;
    const message = 'is set with mode SIMPLE, which presents no client certificate';
    yield { path: `${at}.${field}`, value: tls[field], message, remedy: 'use mode MUTUAL, or remove it' };
  }
}

function* validateMutual(tls: ClientTlsSettings, at: string): Iterable<Violation> {
  if (tls.credentialName !== undefined) return;
  for (const field of ['clientCertificate', 'privateKey'] as const) {
    if (tls[field] !== undefined) continue;
    yield {
      path: `${at}.${field}`,
      message: 'is missing with mode MUTUAL',
      remedy: 'set clientCertificate and privateKey, or credentialName at a gateway',
    };
  }
}

function* validateMeshMutual(tls: ClientTlsSettings, at: string): Iterable<Violation> {
  for (const field of [...FILES, 'credentialName'] as const) {
    if (tls[field] === undefined) continue;
    const message = 'is set with mode MESH_MUTUAL, which uses the certificates of the mesh';
    yield { path: `${at}.${field}`, value: tls[field], message, remedy: 'remove it, or use mode MUTUAL' };
  }
}

function* validateTexts(tls: ClientTlsSettings, at: string): Iterable<Violation> {
  for (const field of FILES) {
    const value = tls[field];
    if (value === undefined || (value.startsWith('/') && !UNREADABLE.test(value))) continue;
    yield {
      path: `${at}.${field}`,
      value,
      message: 'is not an absolute path',
      remedy: 'write it like /etc/certs/ca.pem',
    };
  }
  const { credentialName, sni, subjectAltNames = [] } = tls;
  if (credentialName !== undefined && !isObjectName(credentialName)) {
    const remedy = 'use the name of a Secret in the namespace of the gateway';
    yield { path: `${at}.credentialName`, value: credentialName, message: 'is not the name of a Secret', remedy };
  }
  if (credentialName?.endsWith('-cacert')) {
    yield {
      path: `${at}.credentialName`,
      value: credentialName,
      message: 'ends with -cacert, which is the name of root certificates',
      remedy: 'name the secret of the certificate; root certificates may be in <credentialName>-cacert',
    };
  }
  if (sni !== undefined && !SNI.test(sni)) {
    yield { path: `${at}.sni`, value: sni, message: 'is not a server name', remedy: 'use a DNS name' };
  }
  for (const [index, name] of subjectAltNames.entries()) {
    if (!UNREADABLE.test(name)) continue;
    const message = 'has characters that no certificate has';
    yield { path: `${at}.subjectAltNames[${index}]`, value: name, message, remedy: 'use a DNS name or a URI' };
  }
}
