import type { TrustDomains } from '../../ca/authentication/spiffe/trust-domains.js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import type { Options } from '../options.js';

/**
 * Which identities read the policies of all namespaces over ADS: service accounts of the control plane's own namespace
 * that NAV_POLICY_READERS names. Other workloads read those of their own namespace.
 */
export function createPolicyReaders(
  { discovery, environment }: Options,
  trustDomains: Pick<TrustDomains, 'isOwn'>,
): (identity: WorkloadIdentity) => boolean {
  return ({ trustDomain, namespace, serviceAccount }) =>
    namespace === discovery.namespace &&
    environment.navPolicyReaders.includes(serviceAccount) &&
    trustDomains.isOwn(trustDomain);
}
