import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { ConfigSource } from '../../generated/envoy/config/core/v3/ConfigSource.js';
import type { TransportSocket } from '../../generated/envoy/config/core/v3/TransportSocket.js';
import type { CommonTlsContext } from '../../generated/envoy/extensions/transport_sockets/tls/v3/CommonTlsContext.js';
import type { SubjectAltNameMatcher } from '../../generated/envoy/extensions/transport_sockets/tls/v3/SubjectAltNameMatcher.js';
import type { UpstreamTlsContext } from '../../generated/envoy/extensions/transport_sockets/tls/v3/UpstreamTlsContext.js';
import type { CertificateSource, OwnTls, ServerVerification } from '../../model/traffic/client-tls.js';

const UPSTREAM_TLS_CONTEXT = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

/**
 * TLS with certificates that are not the mesh's.
 *
 * @param configSource of secrets (SDS)
 * @param isHttp2 whether the cluster speaks HTTP/2 alone, which servers choose by ALPN
 */
export function buildOwnTls(
  encoder: MessageEncoder,
  { certificate, verification, serverName }: OwnTls,
  { configSource, isHttp2 }: { readonly configSource: ConfigSource; readonly isHttp2: boolean },
): TransportSocket {
  const context: UpstreamTlsContext = {
    commonTlsContext: {
      ...(certificate === undefined ? {} : certificateFields(certificate, configSource)),
      ...(verification === undefined ? {} : verificationFields(verification, configSource)),
      ...(isHttp2 ? { alpnProtocols: ['h2'] } : {}),
    },
    ...(serverName === undefined ? {} : { sni: serverName }),
  };
  return { name: 'envoy.transport_sockets.tls', typedConfig: encoder.packAny(UPSTREAM_TLS_CONTEXT, context) };
}

function certificateFields(source: CertificateSource, configSource: ConfigSource): CommonTlsContext {
  if (source.type === 'secret') {
    return { tlsCertificateSdsSecretConfigs: [{ name: source.name, sdsConfig: configSource }] };
  }
  const { certificatePath, privateKeyPath } = source;
  return {
    tlsCertificates: [{ certificateChain: { filename: certificatePath }, privateKey: { filename: privateKeyPath } }],
  };
}

function verificationFields(
  { roots, subjectAltNames }: ServerVerification,
  configSource: ConfigSource,
): CommonTlsContext {
  const matchTypedSubjectAltNames = subjectAltNames.map(nameMatcher);
  if (roots.type === 'file') {
    return { validationContext: { trustedCa: { filename: roots.path }, matchTypedSubjectAltNames } };
  }
  return {
    combinedValidationContext: {
      defaultValidationContext: { matchTypedSubjectAltNames },
      validationContextSdsSecretConfig: { name: roots.name, sdsConfig: configSource },
    },
  };
}

function nameMatcher(exact: string): SubjectAltNameMatcher {
  return { sanType: exact.includes('://') ? 'URI' : 'DNS', matcher: { exact } };
}
