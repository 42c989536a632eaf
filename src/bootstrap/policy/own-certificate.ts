import { X509Certificate } from 'node:crypto';
import { uriNamesOf } from '../../ca/authentication/spiffe/certificate-names.js';
import { parseSpiffeId, type WorkloadIdentity } from '../../model/spiffe-id.js';
import type { TlsMaterialSource } from '../../net/tls-material.js';

/**
 * Identifies workloads of this process's own trust domain, which its certificate names.
 *
 * @returns the workload of a verified certificate; undefined for another trust domain
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
