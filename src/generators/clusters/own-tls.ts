import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { clientTlsSocket } from '../../envoy/tls-socket.js';
import type { ConfigSource } from '../../generated/envoy/config/core/v3/ConfigSource.js';
import type { TransportSocket } from '../../generated/envoy/config/core/v3/TransportSocket.js';
import type { CommonTlsContext } from '../../generated/envoy/extensions/transport_sockets/tls/v3/CommonTlsContext.js';
import type { SubjectAltNameMatcher } from '../../generated/envoy/extensions/transport_sockets/tls/v3/SubjectAltNameMatcher.js';
import type { UpstreamTlsContext } from '../../generated/envoy/extensions/transport_sockets/tls/v3/UpstreamTlsContext.js';
import { credentialRootsSecret, credentialSecret } from '../../model/gateways/credential-names.js';
import type { CertificateSource, Credential, OwnTls, ServerVerification } from '../../model/traffic/client-tls.js';

interface OwnTlsOptions {
  readonly configSource: ConfigSource;
  readonly credentialSource: ConfigSource;
  readonly isHttp2: boolean;
}

/**
 * TLS with certificates that are not the mesh's.
 *
 * @param configSource of secrets (SDS)
 * @param credentialSource of secrets that may not exist
 * @param isHttp2 whether the cluster speaks HTTP/2 alone, which servers choose by ALPN
 */
export function buildOwnTls(
  encoder: MessageEncoder,
  { certificate, verification, serverName }: OwnTls,
  { configSource, credentialSource, isHttp2 }: OwnTlsOptions,
): TransportSocket {
  const sources = { secret: configSource, credential: credentialSource };
  const context: UpstreamTlsContext = {
    commonTlsContext: {
      ...(certificate === undefined ? {} : certificateFields(certificate, sources)),
      ...(verification === undefined ? {} : verificationFields(verification, sources)),
      ...(isHttp2 ? { alpnProtocols: ['h2'] } : {}),
    },
    ...(serverName === undefined ? {} : { sni: serverName }),
  };
  return clientTlsSocket(encoder, context);
}

type SecretSources = Readonly<Record<'secret' | 'credential', ConfigSource>>;

function certificateFields(source: CertificateSource | Credential, sources: SecretSources): CommonTlsContext {
  if (source.type === 'files') {
    const { certificatePath, privateKeyPath } = source;
    return {
      tlsCertificates: [{ certificateChain: { filename: certificatePath }, privateKey: { filename: privateKeyPath } }],
    };
  }
  const name = source.type === 'credential' ? credentialSecret(source.name) : source.name;
  return { tlsCertificateSdsSecretConfigs: [{ name, sdsConfig: sources[source.type] }] };
}

function verificationFields({ roots, subjectAltNames }: ServerVerification, sources: SecretSources): CommonTlsContext {
  const matchTypedSubjectAltNames = subjectAltNames.map(nameMatcher);
  if (roots.type === 'file') {
    return { validationContext: { trustedCa: { filename: roots.path }, matchTypedSubjectAltNames } };
  }
  const name = roots.type === 'credential' ? credentialRootsSecret(roots.name) : roots.name;
  return {
    combinedValidationContext: {
      defaultValidationContext: { matchTypedSubjectAltNames },
      validationContextSdsSecretConfig: { name, sdsConfig: sources[roots.type] },
    },
  };
}

function nameMatcher(exact: string): SubjectAltNameMatcher {
  return { sanType: exact.includes('://') ? 'URI' : 'DNS', matcher: { exact } };
}
