import type { CallCredentials } from '../../net/call-credentials.js';

/** A caller with a proven identity. */
export interface Caller {
  /** SPIFFE ids, at least one. */
  readonly identities: readonly string[];
  readonly authenticatedBy: 'client certificate' | 'orchestrator token' | 'OIDC token';
}

/** The authenticator rejects the credentials. The message is for logs, and contains no secret. */
export class AuthenticationError extends Error {
  /** An API server or issuer that might accept the credentials gave no answer. */
  readonly isTemporary: boolean;
  /** The API server or issuer was not asked, because too many callers wait. */
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

/** Whether the error says nothing about the credentials, so that a retry may succeed. */
export function isTemporaryFailure(error: unknown): boolean {
  return !(error instanceof AuthenticationError) || error.isTemporary;
}

/** One way to authenticate a caller (docs/reference/certificate-authority.md#authenticators). */
export interface Authenticator {
  readonly name: Caller['authenticatedBy'];
  /**
   * @returns undefined when the credentials have no part that this authenticator checks
   * @throws AuthenticationError
   */
  authenticate(credentials: CallCredentials): Promise<Caller | undefined>;
}
