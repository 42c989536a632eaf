import type { CallCredentials } from '../../net/call-credentials.js';
import { AuthenticationError, type Authenticator, type Caller, isTemporaryFailure } from './authenticator.js';

/** @throws AuthenticationError when no credential of the caller proves an identity */
export type AuthenticateCaller = (credentials: CallCredentials) => Promise<Caller>;

/**
 * Asks the authenticators in order; the first success wins (docs/reference/certificate-authority.md#authenticators). An
 * authenticator whose API server or issuer does not answer counts as a rejection.
 */
export function createCallerAuthentication(authenticators: readonly Authenticator[]): AuthenticateCaller {
  return async (credentials) => {
    const reasons: string[] = [];
    const causes: unknown[] = [];
    for (const authenticator of authenticators) {
      try {
        const caller = await authenticator.authenticate(credentials);
        if (caller !== undefined) return caller;
      } catch (cause) {
        reasons.push(`${authenticator.name}: ${reasonOf(cause)}`);
        causes.push(cause);
      }
    }
    if (reasons.length === 0) throw new AuthenticationError(missingCredentials(credentials));
    throw new AuthenticationError(reasons.join('; '), {
      cause: causes.length === 1 ? causes[0] : causes,
      isTemporary: causes.some(isTemporaryFailure),
      isOverload: causes.some((cause) => cause instanceof AuthenticationError && cause.isOverload),
    });
  };
}

/** Other errors may quote secrets, so their text goes only to the log. */
function reasonOf(error: unknown): string {
  return error instanceof AuthenticationError ? error.message : 'the API server or issuer gives no answer';
}

function missingCredentials({ bearerToken, verifiedCertificate }: CallCredentials): string {
  if (bearerToken === undefined && verifiedCertificate === undefined) {
    return 'the caller has shown neither a client certificate nor a bearer token';
  }
  return 'no authenticator is configured for these credentials';
}
