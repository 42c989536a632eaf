import type { ConfigSource } from '../generated/envoy/config/core/v3/ConfigSource.js';
import type { TransportSocket } from '../generated/envoy/config/core/v3/TransportSocket.js';
import type { CertificateValidationContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/CertificateValidationContext.js';
import type { CommonTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/CommonTlsContext.js';
import type { DownstreamTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/DownstreamTlsContext.js';
import type { SubjectAltNameMatcher } from '../generated/envoy/extensions/transport_sockets/tls/v3/SubjectAltNameMatcher.js';
import type { MessageEncoder } from './message-encoder.js';
import { serverTlsSocket } from './tls-socket.js';

/** A certificate of the server: files beside the proxy, or a secret that it asks for (SDS). */
export type ServerCertificate =
  | { readonly type: 'files'; readonly certificatePath: string; readonly privateKeyPath: string }
  | { readonly type: 'secret'; readonly name: string };

/** The client certificates that a server accepts. */
export interface ClientVerification {
  readonly roots: { readonly type: 'file'; readonly path: string } | { readonly type: 'secret'; readonly name: string };
  /** The certificate must have one of these names; empty for any. */
  readonly names: readonly SubjectAltNameMatcher[];
  /** Base64 SHA-256 hashes of public keys. */
  readonly keyHashes: readonly string[];
  /** Hexadecimal SHA-256 hashes of certificates. One hash of either list must match; both empty for any. */
  readonly certificateHashes: readonly string[];
}

/** TLS of a server. */
export interface ServerTlsOptions {
  readonly certificate: ServerCertificate;
  /** Absent: clients need no certificate. */
  readonly clients?: ClientVerification | undefined;
  readonly lowestVersion: string;
  readonly highestVersion: string;
  /** Names of OpenSSL; empty for Envoy's own choice. */
  readonly cipherSuites: readonly string[];
  /** Application protocols (ALPN) that are accepted, the preferred one first. */
  readonly applicationProtocols: readonly string[];
  /** Source of the secrets. */
  readonly configSource: ConfigSource;
}

const VERSIONS: Readonly<Record<string, 'TLSv1_0' | 'TLSv1_1' | 'TLSv1_2' | 'TLSv1_3'>> = {
  '1.0': 'TLSv1_0',
  '1.1': 'TLSv1_1',
  '1.2': 'TLSv1_2',
  '1.3': 'TLSv1_3',
};

/** The transport socket of a server with any certificate. */
export function buildServerTls(encoder: MessageEncoder, options: ServerTlsOptions): TransportSocket {
  const { clients } = options;
  const context: DownstreamTlsContext = {
    commonTlsContext: {
      tlsParams: {
        tlsMinimumProtocolVersion: VERSIONS[options.lowestVersion] ?? 'TLSv1_2',
        tlsMaximumProtocolVersion: VERSIONS[options.highestVersion] ?? 'TLSv1_3',
        ...(options.cipherSuites.length === 0 ? {} : { cipherSuites: [...options.cipherSuites] }),
      },
      ...certificateFields(options),
      ...(clients === undefined ? {} : verificationFields(clients, options.configSource)),
      alpnProtocols: [...options.applicationProtocols],
    },
    requireClientCertificate: { value: clients !== undefined },
  };
  return serverTlsSocket(encoder, context);
}

function certificateFields({ certificate, configSource }: ServerTlsOptions): CommonTlsContext {
  if (certificate.type === 'secret') {
    return { tlsCertificateSdsSecretConfigs: [{ name: certificate.name, sdsConfig: configSource }] };
  }
  const { certificatePath, privateKeyPath } = certificate;
  return {
    tlsCertificates: [{ certificateChain: { filename: certificatePath }, privateKey: { filename: privateKeyPath } }],
  };
}

function verificationFields(
  { roots, names, keyHashes, certificateHashes }: ClientVerification,
  configSource: ConfigSource,
): CommonTlsContext {
  const checks: CertificateValidationContext = {
    ...(names.length === 0 ? {} : { matchTypedSubjectAltNames: [...names] }),
    ...(keyHashes.length === 0 ? {} : { verifyCertificateSpki: [...keyHashes] }),
    ...(certificateHashes.length === 0 ? {} : { verifyCertificateHash: [...certificateHashes] }),
  };
  if (roots.type === 'file') return { validationContext: { ...checks, trustedCa: { filename: roots.path } } };
  return {
    combinedValidationContext: {
      defaultValidationContext: checks,
      validationContextSdsSecretConfig: { name: roots.name, sdsConfig: configSource },
    },
  };
}
