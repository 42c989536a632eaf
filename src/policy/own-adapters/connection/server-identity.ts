import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** Decides whether the certificate of an adapter is for it; the chain of the certificate is verified before. */
export type CheckIdentity = (certificate: PeerCertificate) => Error | undefined;

/** The certificate must be for the name. @param name a DNS name or IP address, or a URI such as a SPIFFE ID */
export function namedServer(name: string): CheckIdentity {
  return (certificate) => {
    if (!name.includes('://')) return checkServerIdentity(name, certificate);
    const uris = urisOf(new X509Certificate(certificate.raw));
    return uris.includes(name) ? undefined : mismatch(`is not for ${name}`, uris);
  };
}

/**
 * The certificate must be for the name, or for the identity of the own one, as adapters in the mesh of public mixers have
 * it.
 *
 * @param certificateChain of this process, PEM
 */
export function namedOrOwnServer(name: string, certificateChain: string): CheckIdentity {
  const named = namedServer(name);
  const own = urisOf(new X509Certificate(certificateChain));
  return (certificate) => {
    const uris = urisOf(new X509Certificate(certificate.raw));
    if (uris.some((uri) => own.includes(uri))) return undefined;
    const problem = named(certificate);
    return problem && mismatch(`is neither for ${name} nor for the identity of the policy server`, uris);
  };
}

/** BYPASS_OOP_MTLS_SAN_VERIFICATION: any name. */
export const ANY_SERVER: CheckIdentity = () => undefined;

function mismatch(problem: string, uris: readonly string[]): Error {
  const found = uris.length === 0 ? '' : `; its URIs are ${uris.slice(0, 5).join(', ')}`;
  return new Error(`the certificate of the adapter ${problem}${found}`);
}

/** URI names. Names with quotes in them are not URIs of identities. */
function urisOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return subjectAltName
    .split(', ')
    .flatMap((entry) => (entry.startsWith('URI:') && !entry.includes('"') ? entry.slice('URI:'.length) : []));
}
