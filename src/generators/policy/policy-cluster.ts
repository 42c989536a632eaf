import { isIpAddress } from '../../base/ip-address.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import { duration } from '../../envoy/durations.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { buildUpstreamMutualTls } from '../../envoy/tls-context.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import { formatSpiffeId } from '../../model/spiffe-id.js';
import { buildClusterBase } from '../clusters/cluster-defaults.js';
import { buildLoadAssignment } from '../endpoints/load-assignment.js';
import { serverNames, type TrustSettings } from '../security/trusted-names.js';
import type { GeneratorSettings } from '../settings.js';
import type { CheckHttpVersion } from './policy-protocols.js';
import type { ServerAddress } from './policy-server-hosts.js';

/** How the proxy finds a policy server: by a name that the proxy resolves, or by an assignment with its instances. */
export type ServerPlace =
  | ({ readonly type: 'address'; readonly ipv6Only: boolean } & ServerAddress)
  | { readonly type: 'instances'; readonly assignment: string };

/**
 * A check that cannot connect to one instance must have time for another one within the five seconds of a call, because
 * the request waits for the check.
 */
const MAX_CONNECT_TIMEOUT_MS = 1000;

/** The cluster of a policy server, without the options of its protocol. @param tls plaintext unless given */
export function buildPolicyCluster(
  name: string,
  place: ServerPlace,
  mesh: MeshConfig,
  { initialFetchTimeoutMs }: Pick<GeneratorSettings, 'initialFetchTimeoutMs'>,
  tls: Pick<Cluster, 'transportSocket'> = {},
): Cluster {
  return {
    ...buildClusterBase(name, Math.min(mesh.connectTimeoutMs, MAX_CONNECT_TIMEOUT_MS)),
    ...discoveryFields(name, place, mesh, initialFetchTimeoutMs),
    ...tls,
    commonLbConfig: { healthyPanicThreshold: {} },
  };
}

function discoveryFields(
  name: string,
  place: ServerPlace,
  mesh: MeshConfig,
  initialFetchTimeoutMs: number,
): Partial<Cluster> {
  if (place.type === 'instances') {
    const edsConfig = adsConfigSource(initialFetchTimeoutMs);
    return { type: 'EDS', edsClusterConfig: { edsConfig, serviceName: place.assignment }, lbPolicy: 'LEAST_REQUEST' };
  }
  const { host, port, ipv6Only } = place;
  const target = { address: host, port, health: 'healthy', locality: '', network: '', weight: 1 } as const;
  const loadAssignment = buildLoadAssignment(name, [{ ...target, tlsMode: 'disabled' }]);
  if (isIpAddress(host)) return { type: 'STATIC', loadAssignment };
  return {
    type: 'STRICT_DNS',
    dnsLookupFamily: ipv6Only ? 'V6_ONLY' : 'V4_ONLY',
    dnsRefreshRate: duration(mesh.dnsRefreshRateMs),
    respectDnsTtl: true,
    loadAssignment,
  };
}

type PolicyTlsSettings = TrustSettings & Pick<GeneratorSettings, 'initialFetchTimeoutMs' | 'policyServerIdentity'>;

/**
 * @param host of the embedded policy server; undefined for a server that is called in plaintext
 * @param version of HTTP
 */
export type PolicyServerTls = (
  mesh: MeshConfig,
  host: string | undefined,
  version: CheckHttpVersion,
) => Pick<Cluster, 'transportSocket'>;

/**
 * Mutual TLS with the proxy's own certificate to the embedded policy server. The certificate of the server names the
 * control plane's identity, or the host at which proxies find it.
 */
export function createPolicyServerTls(encoder: MessageEncoder, settings: PolicyTlsSettings): PolicyServerTls {
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);
  return (mesh, host, version) => {
    const { policyServerIdentity, trustDomain } = settings;
    if (host === undefined || policyServerIdentity === undefined) return {};
    const identity = { trustDomain: trustDomain === '' ? mesh.trustDomain : trustDomain, ...policyServerIdentity };
    // An address is no server name (RFC 6066). The certificate has the identity in any case.
    const dnsNames = isIpAddress(host) ? [] : [host];
    return {
      transportSocket: buildUpstreamMutualTls(encoder, dnsNames[0] ?? '', {
        configSource,
        peerNames: serverNames(mesh, settings, [formatSpiffeId(identity)], dnsNames),
        applicationProtocols: [version],
      }),
    };
  };
}
