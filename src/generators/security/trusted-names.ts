import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { PeerName } from '../../envoy/tls-context.js';
import { formatSpiffeId, parseSpiffeId } from '../../model/spiffe-id.js';
import type { GeneratorSettings } from '../settings.js';

export type TrustSettings = Pick<GeneratorSettings, 'trustDomain' | 'skipTrustDomainValidation'>;

/** The trust domain and its aliases, each once, as they are in identities. */
function trustDomainsOf(
  { trustDomain, trustDomainAliases }: Pick<MeshConfig, 'trustDomain' | 'trustDomainAliases'>,
  settings: Pick<TrustSettings, 'trustDomain'>,
): readonly string[] {
  const own = settings.trustDomain === '' ? trustDomain : settings.trustDomain;
  return [...new Set([own, ...trustDomainAliases].map((domain) => domain.replaceAll('@', '.')))];
}

/**
 * Whom a workload takes connections from: anybody of its own trust domain or an alias of it. None stands for anybody
 * that the roots vouch for (NAV_SKIP_VALIDATE_TRUST_DOMAIN).
 */
export function clientNames(mesh: MeshConfig, settings: TrustSettings): readonly PeerName[] {
  return settings.skipTrustDomainValidation ? [] : ofTrustDomains(mesh, settings);
}

/**
 * Who may answer for a service: the identities of its endpoints, in every alias of their trust domain, and the names
 * that it says itself. While nobody is known it has no endpoint with an identity, and anybody of the trust domain will do.
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
