import type { X509Certificate } from 'node:crypto';

/** What a caller has shown of itself. */
export interface CallCredentials {
  /** The leaf of the client's certificate chain; present only when the chain was verified against the trusted roots. */
  readonly verifiedCertificate: X509Certificate | undefined;
  /** Of the metadata `authorization: Bearer …`. */
  readonly bearerToken: string | undefined;
  /** Of the metadata `clusterid`: the remote cluster whose API server knows the token. */
  readonly clusterId: string | undefined;
  /** Address and port, for logs. */
  readonly peer: string;
}

/** A caller whose identity is proven. */
export interface Caller {
  /** SPIFFE ids; one or more. */
  readonly identities: readonly string[];
  readonly authenticatedBy: 'client certificate' | 'orchestrator token' | 'OIDC token';
}

/** The credentials were for this authenticator, and are not good. The message is for logs, and names no secret. */
export class AuthenticationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AuthenticationError';
  }
}

/** One way to prove who one is (BEHAVIOUR 4, "Authenticators"). */
export interface Authenticator {
  readonly name: Caller['authenticatedBy'];
  /**
   * @returns undefined when the credentials have nothing that this authenticator looks at.
   * @throws AuthenticationError
   */
  authenticate(credentials: CallCredentials): Promise<Caller | undefined>;
}
