import type { CallCredentials } from '../../net/call-credentials.js';

/** A caller whose identity is proven. */
export interface Caller {
  /** SPIFFE ids; one or more. */
  readonly identities: readonly string[];
  readonly authenticatedBy: 'client certificate' | 'orchestrator token' | 'OIDC token';
}

/** The credentials were for this authenticator, and are not good. The message is for logs, and names no secret. */
export class AuthenticationError extends Error {
  /** An API server or issuer that may accept the credentials could not be asked. */
  readonly isTemporary: boolean;
  /** It was not asked because too many callers wait. */
  readonly isOverload: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { readonly isTemporary?: boolean; readonly isOverload?: boolean } = {},
  ) {
    super(message, options);
    this.name = 'AuthenticationError';
    this.isOverload = options.isOverload ?? false;
    this.isTemporary = options.isTemporary ?? this.isOverload;
  }
}

/** Whether what was thrown says nothing about the credentials: asked again, the answer may be another. */
export function isTemporaryFailure(error: unknown): boolean {
  return !(error instanceof AuthenticationError) || error.isTemporary;
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
