import type { X509Certificate } from 'node:crypto';

const MAX_INTERMEDIATES = 8;

/**
 * Whether a leaf chains to one of the roots, by the issuers that came with it. TLS has verified names of issuers,
 * times, purposes and constraints already, against all roots together; this says that a certain root is behind it.
 */
export function chainsTo(leaf: X509Certificate, roots: readonly X509Certificate[], now: Date): boolean {
  let certificate = leaf;
  for (let depth = 0; depth <= MAX_INTERMEDIATES; depth++) {
    if (!isValidAt(certificate, now)) return false;
    const child = certificate;
    if (roots.some((root) => isValidAt(root, now) && hasIssued(root, child))) return true;
    const issuer = certificate.issuerCertificate;
    // A certificate that has issued itself is the end of its chain.
    if (issuer === undefined || issuer.fingerprint256 === certificate.fingerprint256) return false;
    if (!hasIssued(issuer, certificate)) return false;
    certificate = issuer;
  }
  return false;
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo);
}
