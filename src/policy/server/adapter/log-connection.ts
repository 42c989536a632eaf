import type { ConnectionFacts } from '../../client/connection-attributes.js';
import type { WireCertificate, WireLogCommon } from './envoy-messages.js';
import { ipBytesOf } from './wire-values.js';

/** The connection of an access log entry, in the same form as from its Check. */
export function logConnectionFacts(common: WireLogCommon): ConnectionFacts {
  const originIp = peerIpOf(common);
  const { tlsSniHostname, peerCertificateProperties, localCertificateProperties } = common.tlsProperties ?? {};
  const sourcePrincipal = principalOf(peerCertificateProperties);
  const destinationPrincipal = principalOf(localCertificateProperties);
  return {
    isMtls: sourcePrincipal !== undefined,
    ...(originIp && { originIp }),
    ...(tlsSniHostname && { requestedServerName: tlsSniHostname }),
    ...(sourcePrincipal && { sourcePrincipal }),
    ...(destinationPrincipal && { destinationPrincipal }),
  };
}

/** The address of the peer. Headers such as x-forwarded-for are not used. */
export function peerIpOf(common: WireLogCommon): Uint8Array | undefined {
  return ipBytesOf(common.downstreamDirectRemoteAddress) ?? ipBytesOf(common.downstreamRemoteAddress);
}

/** The first URI of the certificate, as Envoy's own Check has it. */
function principalOf(certificate: WireCertificate | null | undefined): string | undefined {
  for (const { uri } of certificate?.subjectAltName ?? []) {
    if (uri) return uri;
  }
  return undefined;
}
