import { isIpAddress } from '../../base/ip-address.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { fileRootsSecret, fileSecret, ROOTS_SECRET, WORKLOAD_SECRET } from '../../envoy/secret.js';
import { buildServerTls, type ClientVerification, type ServerCertificate } from '../../envoy/server-tls.js';
import type { TransportSocket } from '../../generated/envoy/config/core/v3/TransportSocket.js';
import type { SubjectAltNameMatcher } from '../../generated/envoy/extensions/transport_sockets/tls/v3/SubjectAltNameMatcher.js';
import type { ServerTraffic } from '../../model/gateways/gateway-server.js';
import type { ClientChecks, ServerTls } from '../../model/gateways/server-tls.js';
import type { CertificateSource, RootsSource } from '../../model/traffic/client-tls.js';
import { HTTP_SERVER_PROTOCOLS } from '../security/mesh-protocols.js';
import { clientNames } from '../security/trusted-names.js';
import type { GeneratorSettings } from '../settings.js';

/** The TLS with which a router decrypts. */
export type OwnServerTls = Extract<ServerTls, { readonly mode: 'own' | 'mesh' }>;

export interface ServerTlsContext {
  readonly mesh: MeshConfig;
  /** Whether the router can ask for secrets. */
  readonly hasSecrets: boolean;
}

/**
 * How long a listener waits for the secret of one server, in milliseconds. Without a limit, a Gateway whose secret does
 * not exist would keep every change of its port from a router, also of other Gateways. Connections to a server without
 * its secret are closed; it begins to work when the secret appears.
 */
const SECRET_TIMEOUT_MS = 5000;

/** Makes the transport socket of a server that decrypts. */
export function createServerTlsBuilder(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
): (tls: OwnServerTls, traffic: ServerTraffic, context: ServerTlsContext) => TransportSocket {
  const { initialFetchTimeoutMs } = settings;
  const timeoutMs =
    initialFetchTimeoutMs === 0 ? SECRET_TIMEOUT_MS : Math.min(initialFetchTimeoutMs, SECRET_TIMEOUT_MS);
  const configSource = adsConfigSource(timeoutMs);
  return (tls, traffic, { mesh, hasSecrets }) => {
    const { lowest, highest, cipherSuites } = tls.handshake;
    return buildServerTls(encoder, {
      certificate:
        tls.mode === 'mesh' ? { type: 'secret', name: WORKLOAD_SECRET } : certificateOf(tls.certificate, hasSecrets),
      clients: verificationOf(tls, mesh, settings, hasSecrets),
      lowestVersion: lowest,
      highestVersion: highest,
      cipherSuites,
      applicationProtocols: traffic === 'http' ? HTTP_SERVER_PROTOCOLS : [],
      configSource,
    });
  };
}

/**
 * Files are read by a secret of their own where the router can ask for it: Envoy rejects a listener with a file that does
 * not exist, for all Gateways of its port, and does not read a changed file again.
 */
function certificateOf(source: CertificateSource, hasSecrets: boolean): ServerCertificate {
  if (source.type === 'secret' || !hasSecrets) return source;
  return { type: 'secret', name: fileSecret(source.certificatePath, source.privateKeyPath) };
}

function rootsOf(source: RootsSource, hasSecrets: boolean): ClientVerification['roots'] {
  if (source.type === 'secret' || !hasSecrets) return source;
  return { type: 'secret', name: fileRootsSecret(source.path) };
}

function verificationOf(
  tls: OwnServerTls,
  mesh: MeshConfig,
  settings: GeneratorSettings,
  hasSecrets: boolean,
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
  return { ...checksOf(clients), names, roots: rootsOf(clients.roots, hasSecrets) };
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
