import { isIpAddress } from '../../base/ip-address.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { ROOTS_SECRET, WORKLOAD_SECRET } from '../../envoy/secret.js';
import { buildServerTls, type ClientVerification } from '../../envoy/server-tls.js';
import type { TransportSocket } from '../../generated/envoy/config/core/v3/TransportSocket.js';
import type { SubjectAltNameMatcher } from '../../generated/envoy/extensions/transport_sockets/tls/v3/SubjectAltNameMatcher.js';
import type { ServerTraffic } from '../../model/gateways/gateway-server.js';
import type { ClientChecks, ServerTls } from '../../model/gateways/server-tls.js';
import { credentialConfigSource } from '../security/credential-source.js';
import { HTTP_SERVER_PROTOCOLS } from '../security/mesh-protocols.js';
import { clientNames } from '../security/trusted-names.js';
import type { GeneratorSettings } from '../settings.js';

/** The TLS with which a router decrypts. */
export type OwnServerTls = Extract<ServerTls, { readonly mode: 'own' | 'mesh' }>;

/** Makes the transport socket of a server that decrypts. */
export function createServerTlsBuilder(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
): (tls: OwnServerTls, traffic: ServerTraffic, mesh: MeshConfig) => TransportSocket {
  const { initialFetchTimeoutMs } = settings;
  const ownSource = credentialConfigSource(settings);
  // Envoy shares a secret among equal sources only, and asks for each name once: clusters have this source.
  const meshSource = adsConfigSource(initialFetchTimeoutMs);
  return (tls, traffic, mesh) => {
    const { lowest, highest, cipherSuites } = tls.handshake;
    return buildServerTls(encoder, {
      certificate: tls.mode === 'mesh' ? { type: 'secret', name: WORKLOAD_SECRET } : tls.certificate,
      clients: verificationOf(tls, mesh, settings),
      lowestVersion: lowest,
      highestVersion: highest,
      cipherSuites,
      applicationProtocols: traffic === 'http' ? HTTP_SERVER_PROTOCOLS : [],
      configSource: tls.mode === 'mesh' ? meshSource : ownSource,
    });
  };
}

function verificationOf(
  tls: OwnServerTls,
  mesh: MeshConfig,
  settings: GeneratorSettings,
): ClientVerification | undefined {
  if (tls.mode === 'mesh') {
    const { clients } = tls;
    const ofMesh = clientNames(mesh, settings).map(
      (name): SubjectAltNameMatcher => ({
        sanType: name.type,
        matcher: 'exact' in name ? { exact: name.exact } : { prefix: name.prefix },
      }),
    );
    return {
      ...checksOf(clients),
      names: clients.subjectAltNames.length === 0 ? ofMesh : clients.subjectAltNames.map(nameMatcher),
      roots: { type: 'secret', name: ROOTS_SECRET },
    };
  }
  const { clients } = tls;
  if (clients === undefined) return undefined;
  const names = clients.subjectAltNames.map(nameMatcher);
  return { ...checksOf(clients), names, roots: clients.roots };
}

function checksOf({ keyHashes, certificateHashes }: ClientChecks) {
  return { keyHashes, certificateHashes };
}

function nameMatcher(exact: string): SubjectAltNameMatcher {
  return { sanType: typeOfName(exact), matcher: { exact } };
}

function typeOfName(name: string): NonNullable<SubjectAltNameMatcher['sanType']> {
  if (name.includes('://')) return 'URI';
  if (name.includes('@')) return 'EMAIL';
  return isIpAddress(name) ? 'IP_ADDRESS' : 'DNS';
}
