import { isIpAddress } from '../../base/ip-address.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { buildUpstreamMutualTls } from '../../envoy/tls-context.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import { formatSpiffeId } from '../../model/identity/spiffe-id.js';
import { serverNames, type TrustSettings } from '../security/trusted-names.js';
import type { GeneratorSettings } from '../settings.js';

export type PolicyTlsSettings = TrustSettings &
  Pick<GeneratorSettings, 'initialFetchTimeoutMs' | 'policyServerIdentity'>;

/** @param host of the policy server in the discovery process; undefined where it is called in plaintext */
export type PolicyServerTls = (mesh: MeshConfig, host: string | undefined) => Pick<Cluster, 'transportSocket'>;

/**
 * Mutual TLS with the proxy's own certificate to the policy server in the discovery process, which is known by the
 * control plane's identity, or by the host that proxies find it under.
 */
export function createPolicyServerTls(encoder: MessageEncoder, settings: PolicyTlsSettings): PolicyServerTls {
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);
  return (mesh, host) => {
    const { policyServerIdentity, trustDomain } = settings;
    if (host === undefined || policyServerIdentity === undefined) return {};
    const identity = { trustDomain: trustDomain === '' ? mesh.trustDomain : trustDomain, ...policyServerIdentity };
    // No server name is an address (RFC 6066); the identity is in the certificate in any case.
    const dnsNames = isIpAddress(host) ? [] : [host];
    return {
      transportSocket: buildUpstreamMutualTls(encoder, dnsNames[0] ?? '', {
        configSource,
        peerNames: serverNames(mesh, settings, [formatSpiffeId(identity)], dnsNames),
        applicationProtocols: ['h2'],
      }),
    };
  };
}
