import type { Clock } from '../../base/clock.js';
import { parseSpiffeId } from '../../model/identity/spiffe-id.js';
import type { AccountChecks } from './accounts/account-checks.js';
import { AuthenticationError, type Authenticator } from './authenticator.js';
import { uriNamesOf } from './spiffe/certificate-names.js';
import { createChainMemory } from './spiffe/chain-memory.js';
import type { TrustDomains } from './spiffe/trust-domains.js';

/**
 * Knows callers by the one URI name of their certificate, a SPIFFE id, whose trust domain's own roots must be behind
 * it (BEHAVIOUR 4, "SPIFFE_BUNDLE_ENDPOINTS"). No other name of the certificate says anything.
 *
 * @param accounts undefined without a cluster: then nothing but the certificate is checked
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
          `the certificate must have exactly one URI name, it has ${uris?.length ?? 'odd ones'}`,
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
      // A certificate outlives its account, and could be exchanged for the next one for ever.
      await accounts?.mustExist(identity);
      return { identities: [uri], authenticatedBy: 'client certificate' };
    },
  };
}
