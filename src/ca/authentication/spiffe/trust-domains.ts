import { X509Certificate } from 'node:crypto';

/** The roots that each trust domain trusts. */
export interface TrustDomains {
  /** Roots that a certificate of the trust domain must chain to; undefined for an untrusted trust domain. */
  rootsOf(trustDomain: string): readonly X509Certificate[] | undefined;
  /** Whether the trust domain is the own one of this mesh or an alias of it. Our authority signs for those only. */
  isOwn(trustDomain: string): boolean;
}

export interface TrustDomainsOptions {
  /** The trust domain of this mesh and its aliases; may change. */
  own(): readonly string[];
  /** Roots of our authority, PEM; may change. */
  ownRoots(): readonly string[];
  /** Roots of other trust domains (SPIFFE_BUNDLE_ENDPOINTS); may change. */
  foreign(): ReadonlyMap<string, readonly X509Certificate[]>;
  /**
   * NAV_SKIP_VALIDATE_TRUST_DOMAIN: certificates of our authority are accepted for every trust domain without a bundle.
   */
  readonly skipValidation: boolean;
}

/**
 * Each trust domain is verified only with its own roots. Otherwise a foreign authority could issue identities of this
 * mesh.
 */
export function createTrustDomains({ own, ownRoots, foreign, skipValidation }: TrustDomainsOptions): TrustDomains {
  let pems: readonly string[] = [];
  let roots: readonly X509Certificate[] = [];
  const currentRoots = (): readonly X509Certificate[] => {
    const current = ownRoots();
    // Parsing a certificate costs as much as verifying one, so the result is kept.
    if (current.length !== pems.length || current.some((pem, index) => pem !== pems[index])) {
      roots = current.map((pem) => new X509Certificate(pem));
      pems = current;
    }
    return roots;
  };
  const isOwn = (trustDomain: string): boolean =>
    own().some((name) => name.replaceAll('@', '.') === trustDomain) || (skipValidation && !foreign().has(trustDomain));
  return {
    isOwn,
    rootsOf: (trustDomain) => (isOwn(trustDomain) ? currentRoots() : foreign().get(trustDomain)),
  };
}
