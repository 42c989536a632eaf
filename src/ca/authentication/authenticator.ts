import type { CallCredentials } from '../../net/call-credentials.js';

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
