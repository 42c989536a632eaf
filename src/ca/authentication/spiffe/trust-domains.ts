import { X509Certificate } from 'node:crypto';

/** Who vouches for whom. */
export interface TrustDomains {
  /** Roots that a certificate of the trust domain must chain to; undefined where nobody vouches for it. */
  rootsOf(trustDomain: string): readonly X509Certificate[] | undefined;
  /** Whether it is this mesh's own, under any of its names: our authority vouches for it, and for no other. */
  isOwn(trustDomain: string): boolean;
}

export interface TrustDomainsOptions {
  /** This mesh's trust domain and its aliases, at present. */
  own(): readonly string[];
  /** Roots of our authority, PEM, at present. */
  ownRoots(): readonly string[];
  /** Roots of other trust domains (SPIFFE_BUNDLE_ENDPOINTS), at present. */
  foreign(): ReadonlyMap<string, readonly X509Certificate[]>;
  /** NAV_SKIP_VALIDATE_TRUST_DOMAIN: our authority's certificates are good for any trust domain but a foreign one. */
  readonly skipValidation: boolean;
}

/**
 * A trust domain has roots of its own, and no other's roots say anything about it: else whoever has a foreign bundle
 * could speak for us.
 */
export function createTrustDomains({ own, ownRoots, foreign, skipValidation }: TrustDomainsOptions): TrustDomains {
  let pems: readonly string[] = [];
  let roots: readonly X509Certificate[] = [];
  const currentRoots = (): readonly X509Certificate[] => {
    const current = ownRoots();
    // Reading a certificate costs as much as verifying one.
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
