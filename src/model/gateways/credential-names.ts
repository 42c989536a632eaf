/** The SDS names of the secrets that `credentialName` of a Gateway or DestinationRule refers to. */

const SCHEME = 'kubernetes://';
/** The secrets of the Gateway API and of Ingresses, which name their namespace. */
const GATEWAY_SCHEME = 'kubernetes-gateway://';
const ROOTS_SUFFIX = '-cacert';

/** A certificate with its key, or the root certificates that verify the other side. */
export type CredentialPart = 'certificate' | 'roots';

/** The certificate with its key. */
export function credentialSecret(credentialName: string): string {
  return `${SCHEME}${credentialName}`;
}

/** The certificate with its key of a listener of the Gateway API, or of an Ingress. */
export function gatewaySecret(namespace: string, name: string): string {
  return `${GATEWAY_SCHEME}${namespace}/${name}`;
}

/** The root certificates that verify the other side. */
export function credentialRootsSecret(credentialName: string): string {
  return `${SCHEME}${credentialName}${ROOTS_SUFFIX}`;
}

/** What an SDS name asks for. */
export interface AskedCredential {
  readonly credentialName: string;
  /** Absent: that of the router. */
  readonly namespace?: string;
  readonly part: CredentialPart;
}

/**
 * What an SDS name asks for. A name ends with `-cacert` for the roots of a credential: no credential has a name that
 * ends so.
 *
 * @returns undefined for other secrets
 */
export function parseCredentialSecret(secret: string): AskedCredential | undefined {
  if (secret.startsWith(GATEWAY_SCHEME)) {
    const [namespace = '', credentialName = '', ...rest] = secret.slice(GATEWAY_SCHEME.length).split('/');
    return rest.length > 0 ? undefined : { credentialName, namespace, part: 'certificate' };
  }
  if (!secret.startsWith(SCHEME)) return undefined;
  const name = secret.slice(SCHEME.length);
  return name.endsWith(ROOTS_SUFFIX)
    ? { credentialName: name.slice(0, -ROOTS_SUFFIX.length), part: 'roots' }
    : { credentialName: name, part: 'certificate' };
}
