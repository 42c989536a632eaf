import type { Clock } from '../../base/clock.js';
import type { FetchDocument } from '../../net/egress/guarded-fetch.js';
import type { AccountChecks } from './accounts/account-checks.js';
import type { Authenticator } from './authenticator.js';
import { createClientCertificateAuthenticator } from './client-certificate.js';
import type { Offenders } from './offenders.js';
import type { TrustDomains } from './spiffe/trust-domains.js';
import { createTokenReviewAuthenticator, type TokenReviewer } from './token-review.js';
import { createTokenVerdicts, TOKEN_VERDICTS, type TokenVerdictsSettings } from './token-verdicts.js';

export interface AuthenticatorsOptions {
  readonly trustDomains: TrustDomains;
  /** The trust domain of identities that tokens prove; may change. */
  trustDomain(): string;
  /** Undefined without a cluster. */
  readonly tokenReview?: {
    /** JWT_POLICY. */
    readonly jwtPolicy: string;
    /** The API server of a cluster; the local one for an unknown or missing id. */
    reviewerOf(clusterId: string | undefined): TokenReviewer;
  };
  /** Undefined without a cluster that has accounts. */
  readonly accounts?: AccountChecks | undefined;
  readonly oidc: OidcSettings;
  /** Limits of concurrent and waiting token checks. Default: TOKEN_VERDICTS. */
  readonly tokenLimits?: Pick<
    TokenVerdictsSettings,
    'maxConcurrent' | 'maxConcurrentPerKey' | 'maxWaiting' | 'maxWaitMs'
  >;
  /** Called when a token is not checked, for `nav_token_reviews_shed`. */
  tokenShed?(reason: 'queue full' | 'waited too long'): void;
  /** Addresses whose tokens are rejected without a check. Default: none. */
  readonly offenders?: Pick<Offenders, 'isBlocked'>;
  readonly clock: Clock;
}

export interface OidcSettings {
  /** The accepted issuer (`expectedTokens`); empty accepts none. */
  readonly issuer: string;
  /** AUDIENCE. */
  readonly audience: string;
  readonly fetchDocument: FetchDocument;
  /** Called after each fetch of the issuer's keys, for `nav_jwks_resolver_network_fetch_{success,fail}_total`. */
  keysFetched(outcome: 'success' | 'failure'): void;
}

/**
 * Creates the authenticators, in the order in which they are tried
 * (docs/reference/certificate-authority.md#authenticators).
 */
export async function createAuthenticators(options: AuthenticatorsOptions): Promise<readonly Authenticator[]> {
  const { trustDomains, tokenReview, oidc, clock } = options;
  const authenticators = [createClientCertificateAuthenticator(trustDomains, clock, options.accounts)];
  const verdicts = createTokenVerdicts(
    clock,
    { ...TOKEN_VERDICTS, ...options.tokenLimits },
    {
      shed: (reason) => options.tokenShed?.(reason),
      isBlocked: (address) => options.offenders?.isBlocked(address) ?? false,
    },
  );
  const common = { trustDomain: () => options.trustDomain(), verdicts, clock };
  if (tokenReview !== undefined) {
    const { jwtPolicy } = tokenReview;
    const reviewerOf = (clusterId: string | undefined): TokenReviewer => tokenReview.reviewerOf(clusterId);
    authenticators.push(createTokenReviewAuthenticator({ ...common, jwtPolicy, reviewerOf }));
  }
  const { issuer, audience, fetchDocument } = oidc;
  if (issuer !== '') {
    const { createOidcAuthenticator } = await import('./oidc/oidc-authenticator.js');
    const { createSigningKeys } = await import('./oidc/signing-keys.js');
    const fetched = (outcome: 'success' | 'failure'): void => oidc.keysFetched(outcome);
    const keys = createSigningKeys({ issuer, fetchDocument, clock, fetched });
    authenticators.push(createOidcAuthenticator({ ...common, issuer, audience, keys }));
  }
  return authenticators;
}
