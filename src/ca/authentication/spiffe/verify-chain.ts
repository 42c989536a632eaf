import type { X509Certificate } from 'node:crypto';

const MAX_INTERMEDIATES = 8;

/**
 * Whether a leaf chains to one of the roots, by the issuers that came with it. TLS has verified names of issuers,
 * times, purposes and constraints already, against all roots together; this says that a certain root is behind it.
 *
 * @returns when the first certificate of the chain runs out, in milliseconds since 1970; undefined without a chain
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
    // A certificate that has issued itself is the end of its chain.
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
