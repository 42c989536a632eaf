import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { PeerName } from '../../envoy/tls-context.js';
import { formatSpiffeId, parseSpiffeId } from '../../model/spiffe-id.js';
import type { GeneratorSettings } from '../settings.js';

export type TrustSettings = Pick<GeneratorSettings, 'trustDomain' | 'skipTrustDomainValidation'>;

/** The trust domain and its aliases, each once, in the form of identities. */
export function trustDomainsOf(
  { trustDomain, trustDomainAliases }: Pick<MeshConfig, 'trustDomain' | 'trustDomainAliases'>,
  settings: Pick<TrustSettings, 'trustDomain'>,
): readonly string[] {
  const own = settings.trustDomain === '' ? trustDomain : settings.trustDomain;
  return [...new Set([own, ...trustDomainAliases].map((domain) => domain.replaceAll('@', '.')))];
}

/**
 * The clients that a workload accepts: all of its own trust domain and its aliases. An empty list accepts every
 * certificate that a trusted root signed (NAV_SKIP_VALIDATE_TRUST_DOMAIN).
 */
export function clientNames(mesh: MeshConfig, settings: TrustSettings): readonly PeerName[] {
  return settings.skipTrustDomainValidation ? [] : ofTrustDomains(mesh, settings);
}

/**
 * The servers that a client of a service accepts: the identities of its endpoints, in every alias of their trust
 * domain, and the names of the service itself. Without any, the client accepts every server of the trust domain.
 *
 * @param serviceAccounts identities of its endpoints
 * @param subjectAltNames SPIFFE ids or DNS names
 */
export function serverNames(
  mesh: MeshConfig,
  settings: TrustSettings,
  serviceAccounts: readonly string[],
  subjectAltNames: readonly string[],
): readonly PeerName[] {
  const domains = trustDomainsOf(mesh, settings);
  const names = new Set([...serviceAccounts.flatMap((id) => inAliases(id, domains)), ...subjectAltNames]);
  if (names.size === 0) return ofTrustDomains(mesh, settings);
  return [...names].sort().map((exact) => ({ type: exact.startsWith('spiffe://') ? 'URI' : 'DNS', exact }));
}

function ofTrustDomains(mesh: MeshConfig, settings: TrustSettings): readonly PeerName[] {
  return trustDomainsOf(mesh, settings).map((domain) => ({ type: 'URI', prefix: `spiffe://${domain}/` }));
}

function inAliases(id: string, domains: readonly string[]): readonly string[] {
  const identity = parseSpiffeId(id);
  if (identity === undefined || !domains.includes(identity.trustDomain)) return [id];
  return domains.map((trustDomain) => formatSpiffeId({ ...identity, trustDomain }));
}
