import { modeOfTls, type ServerTlsSpec } from '../../config/networking/gateway-tls.js';
import type { CertificateSource, RootsSource } from '../traffic/client-tls.js';
import { credentialRootsSecret, credentialSecret, gatewaySecret } from './credential-names.js';

export type TlsVersion = '1.0' | '1.1' | '1.2' | '1.3';

/** The handshakes that a server accepts. */
export interface HandshakeLimits {
  readonly lowest: TlsVersion;
  readonly highest: TlsVersion;
  /** Names of OpenSSL; empty for Envoy's own choice. */
  readonly cipherSuites: readonly string[];
}

/** The client certificates that a server accepts, beside the rule that a trusted root signed them. */
export interface ClientChecks {
  /** Names of which the certificate must have one; empty for any. */
  readonly subjectAltNames: readonly string[];
  /** Base64 SHA-256 hashes of public keys, and hexadecimal ones of certificates: one of all must match; empty for any. */
  readonly keyHashes: readonly string[];
  readonly certificateHashes: readonly string[];
}

/** TLS of a server. */
export type ServerTls =
  /** Does not decrypt. */
  | { readonly mode: 'passthrough' }
  | { readonly mode: 'autoPassthrough' }
  /** The mesh's mutual TLS, with the certificate of the router's identity. */
  | { readonly mode: 'mesh'; readonly handshake: HandshakeLimits; readonly clients: ClientChecks }
  | {
      readonly mode: 'own';
      readonly certificate: CertificateSource;
      readonly handshake: HandshakeLimits;
      /** Absent: clients need no certificate. */
      readonly clients?: ClientChecks & { readonly roots: RootsSource };
    };

/** The spec has passed validation. */
export function translateServerTls(spec: ServerTlsSpec): ServerTls {
  const mode = modeOfTls(spec);
  switch (mode) {
    case 'PASSTHROUGH':
      return { mode: 'passthrough' };
    case 'AUTO_PASSTHROUGH':
      return { mode: 'autoPassthrough' };
    case 'MESH_MUTUAL':
      return { mode: 'mesh', handshake: handshakeOf(spec), clients: clientChecksOf(spec) };
    case 'SIMPLE':
      return { mode: 'own', certificate: certificateOf(spec), handshake: handshakeOf(spec) };
    case 'MUTUAL': {
      const clients = { ...clientChecksOf(spec), roots: rootsOf(spec) };
      return { mode: 'own', certificate: certificateOf(spec), handshake: handshakeOf(spec), clients };
    }
  }
}

/** A credential name has precedence over files. */
function certificateOf({
  credentialName = '',
  serverCertificate = '',
  privateKey = '',
}: ServerTlsSpec): CertificateSource {
  if (credentialName === '') return { type: 'files', certificatePath: serverCertificate, privateKeyPath: privateKey };
  // Rules of applied objects forbid the slash: only Gateways that are made from Ingresses have it.
  const [namespace = '', name] = credentialName.split('/');
  return {
    type: 'secret',
    name: name === undefined ? credentialSecret(credentialName) : gatewaySecret(namespace, name),
  };
}

function rootsOf({ credentialName = '', caCertificates = '' }: ServerTlsSpec): RootsSource {
  return credentialName === ''
    ? { type: 'file', path: caCertificates }
    : { type: 'secret', name: credentialRootsSecret(credentialName) };
}

const VERSIONS = { TLSV1_0: '1.0', TLSV1_1: '1.1', TLSV1_2: '1.2', TLSV1_3: '1.3' } as const;

function handshakeOf({ minProtocolVersion, maxProtocolVersion, cipherSuites = [] }: ServerTlsSpec): HandshakeLimits {
  return {
    lowest: versionOf(minProtocolVersion, '1.2'),
    highest: versionOf(maxProtocolVersion, '1.3'),
    cipherSuites: [...new Set(cipherSuites)],
  };
}

function versionOf(version: ServerTlsSpec['minProtocolVersion'], automatic: TlsVersion): TlsVersion {
  return version === undefined || version === 'TLS_AUTO' ? automatic : VERSIONS[version];
}

function clientChecksOf({
  subjectAltNames = [],
  verifyCertificateSpki = [],
  verifyCertificateHash = [],
}: ServerTlsSpec): ClientChecks {
  return { subjectAltNames, keyHashes: verifyCertificateSpki, certificateHashes: verifyCertificateHash };
}
