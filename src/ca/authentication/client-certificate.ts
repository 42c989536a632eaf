import type { Clock } from '../../base/clock.js';
import { parseSpiffeId } from '../../model/spiffe-id.js';
import type { AccountChecks } from './accounts/account-checks.js';
import { AuthenticationError, type Authenticator } from './authenticator.js';
import { uriNamesOf } from './spiffe/certificate-names.js';
import type { TrustDomains } from './spiffe/trust-domains.js';
import { createChainMemory } from './spiffe/verify-chain.js';

/**
 * Authenticates a caller by the only URI name of its certificate, a SPIFFE id. The certificate must chain to a root of
 * the trust domain in that id (docs/reference/certificate-authority.md#bundle-endpoints). All other names of the
 * certificate are ignored.
 *
 * @param accounts undefined without a cluster; then only the certificate is checked
 */
export function createClientCertificateAuthenticator(
  trustDomains: TrustDomains,
  clock: Clock,
  accounts?: AccountChecks,
): Authenticator {
  const chainsTo = createChainMemory();
  return {
    name: 'client certificate',
    authenticate: async ({ verifiedCertificate: leaf }) => {
      if (leaf === undefined) return undefined;
      const uris = uriNamesOf(leaf);
      const [uri] = uris ?? [];
      if (uri === undefined || uris?.length !== 1) {
        throw new AuthenticationError(
          `the certificate must have exactly one URI name, it has ${uris?.length ?? 'names that cannot be separated'}`,
        );
      }
      const identity = parseSpiffeId(uri);
      if (identity === undefined) {
        throw new AuthenticationError('the certificate is not for spiffe://<trust domain>/ns/<namespace>/sa/<account>');
      }
      const roots = trustDomains.rootsOf(identity.trustDomain);
      if (roots === undefined) {
        throw new AuthenticationError(
          `trust domain ${identity.trustDomain} of the certificate is not trusted: it is neither this mesh's nor in SPIFFE_BUNDLE_ENDPOINTS`,
        );
      }
      if (!chainsTo(leaf, roots, clock.now())) {
        throw new AuthenticationError(
          `the certificate is not from an authority of its trust domain ${identity.trustDomain}`,
        );
      }
      // A certificate outlives its account, and a deleted account could otherwise renew its certificate forever.
      await accounts?.mustExist(identity);
      return { identities: [uri], authenticatedBy: 'client certificate' };
    },
  };
}
