/** The SDS names of the secrets that `credentialName` of a Gateway or DestinationRule refers to. */

const SCHEME = 'kubernetes://';
const ROOTS_SUFFIX = '-cacert';

/** The certificate with its key. */
export function credentialSecret(credentialName: string): string {
  return `${SCHEME}${credentialName}`;
}

/** The root certificates that verify the other side. */
export function credentialRootsSecret(credentialName: string): string {
  return `${SCHEME}${credentialName}${ROOTS_SUFFIX}`;
}
