/** A secret of the namespace of a router (`credentialName`). Only routers get it. */
export interface Credential {
  readonly type: 'credential';
  readonly name: string;
}

/** Where a proxy finds its own certificate: files beside it, or a secret that it asks the control plane for. */
export type CertificateSource =
  | { readonly type: 'files'; readonly certificatePath: string; readonly privateKeyPath: string }
  | { readonly type: 'secret'; readonly name: string };

/** Where a proxy finds the root certificates that it trusts. */
export type RootsSource =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'secret'; readonly name: string };

/** The server certificates that a proxy accepts. */
export interface ServerVerification {
  readonly roots: RootsSource | Credential;
  /** Names of which the certificate must have one; empty for any. */
  readonly subjectAltNames: readonly string[];
}

/** TLS with certificates that are not the mesh's. */
export interface OwnTls {
  readonly mode: 'own';
  /** Presented to the server; absent where the server asks for none. */
  readonly certificate?: CertificateSource | Credential;
  /** Absent: the server's certificate is not verified. */
  readonly verification?: ServerVerification;
  /** Server name (SNI) of the handshake; absent for none. */
  readonly serverName?: string;
}

/** How the connections of a proxy to a cluster are secured. */
export type ClientTls =
  | { readonly mode: 'plaintext' }
  /** The mesh's mutual TLS to endpoints that take it, plaintext to the others. */
  | { readonly mode: 'automatic'; readonly subjectAltNames: readonly string[] }
  /** The mesh's mutual TLS to all endpoints. A proxy without a certificate of the mesh cannot connect. */
  | { readonly mode: 'mesh'; readonly subjectAltNames: readonly string[]; readonly serverName?: string }
  | OwnTls;

/** Whether only a router can connect: the others do not get the secret. */
export function needsCredential(tls: ClientTls): boolean {
  return tls.mode === 'own' && [tls.certificate, tls.verification?.roots].some((each) => each?.type === 'credential');
}
