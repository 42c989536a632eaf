/** The SDS names of the secrets that `credentialName` of a Gateway or DestinationRule refers to. */

const SCHEME = 'kubernetes://';
const ROOTS_SUFFIX = '-cacert';

/** A certificate with its key, or the root certificates that verify the other side. */
export type CredentialPart = 'certificate' | 'roots';

/** The certificate with its key. */
export function credentialSecret(credentialName: string): string {
  return `${SCHEME}${credentialName}`;
}

/** The root certificates that verify the other side. */
export function credentialRootsSecret(credentialName: string): string {
  return `${SCHEME}${credentialName}${ROOTS_SUFFIX}`;
}

/**
 * What an SDS name asks for. A name ends with `-cacert` for the roots of a credential: no credential has a name that
 * ends so.
 *
 * @returns undefined for other secrets
 */
export function parseCredentialSecret(
  secret: string,
): { readonly credentialName: string; readonly part: CredentialPart } | undefined {
  if (!secret.startsWith(SCHEME)) return undefined;
  const name = secret.slice(SCHEME.length);
  return name.endsWith(ROOTS_SUFFIX)
    ? { credentialName: name.slice(0, -ROOTS_SUFFIX.length), part: 'roots' }
    : { credentialName: name, part: 'certificate' };
}
