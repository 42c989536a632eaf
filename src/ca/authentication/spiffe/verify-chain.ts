import type { X509Certificate } from 'node:crypto';

const MAX_INTERMEDIATES = 8;

/**
 * Checks that a leaf chains to one of the roots, by the issuers that the peer sent. TLS has verified names, times,
 * purposes and constraints already, against the roots of all trust domains together. This check adds that the root
 * belongs to one trust domain.
 *
 * @returns when the first certificate of the chain expires, in milliseconds since 1970; undefined without a chain
 */
export function chainEndMs(leaf: X509Certificate, roots: readonly X509Certificate[], now: Date): number | undefined {
  let certificate = leaf;
  let endMs = Number.POSITIVE_INFINITY;
  for (let depth = 0; depth <= MAX_INTERMEDIATES; depth++) {
    if (!isValidAt(certificate, now)) return undefined;
    endMs = Math.min(endMs, Date.parse(certificate.validTo));
    const child = certificate;
    const root = roots.find((each) => isValidAt(each, now) && hasIssued(each, child));
    if (root !== undefined) return Math.min(endMs, Date.parse(root.validTo));
    const issuer = certificate.issuerCertificate;
    // A self-signed certificate ends its chain.
    if (issuer === undefined || issuer.fingerprint256 === certificate.fingerprint256) return undefined;
    if (!hasIssued(issuer, certificate)) return undefined;
    certificate = issuer;
  }
  return undefined;
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo);
}

/** Whether a leaf chains to one of the roots at the given time. */
export type ChainsTo = (leaf: X509Certificate, roots: readonly X509Certificate[], now: Date) => boolean;

interface Verified {
  /** Compared by identity: another list is verified again. */
  readonly roots: readonly X509Certificate[];
  readonly endMs: number;
}

/**
 * Verifies the chain of each leaf once, and again when the list of roots is replaced or a certificate of the chain
 * expires. Two signature checks take 0.3 ms, and one connection may open a thousand streams. Only valid chains are
 * stored.
 */
export function createChainMemory(): ChainsTo {
  const known = new WeakMap<X509Certificate, Verified>();
  return (leaf, roots, now) => {
    const verified = known.get(leaf);
    if (verified?.roots === roots && now.getTime() <= verified.endMs) return true;
    const endMs = chainEndMs(leaf, roots, now);
    if (endMs === undefined) return false;
    known.set(leaf, { roots, endMs });
    return true;
  };
}
