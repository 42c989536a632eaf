import { X509Certificate } from 'node:crypto';
import { uriNamesOf } from '../../ca/authentication/spiffe/certificate-names.js';
import { parseSpiffeId, type WorkloadIdentity } from '../../model/spiffe-id.js';
import type { TlsMaterialSource } from '../../net/tls-material.js';

/**
 * Knows the workloads of this process's own trust domain, which is that of its certificate.
 *
 * @returns the workload that a verified certificate is for; undefined when it is for none of the trust domain
 */
export function createPeerIdentifier(
  material: TlsMaterialSource,
): (certificate: X509Certificate) => WorkloadIdentity | undefined {
  let chain = '';
  let own: WorkloadIdentity | undefined;
  return (leaf) => {
    const current = material.current()?.certificate.certificateChain ?? '';
    if (current !== chain) {
      chain = current;
      own = current === '' ? undefined : identityOf(new X509Certificate(current));
    }
    const identity = identityOf(leaf);
    return identity !== undefined && identity.trustDomain === own?.trustDomain ? identity : undefined;
  };
}

function identityOf(certificate: X509Certificate): WorkloadIdentity | undefined {
  const uris = uriNamesOf(certificate);
  return uris?.length === 1 ? parseSpiffeId(uris[0] ?? '') : undefined;
}
