import type { CallCredentials } from '../../net/call-credentials.js';
import { AuthenticationError, type Authenticator, type Caller, isTemporaryFailure } from './authenticator.js';

/** @throws AuthenticationError when nothing that the caller has shown proves who it is */
export type AuthenticateCaller = (credentials: CallCredentials) => Promise<Caller>;

/**
 * Asks the authenticators in order; the first success wins (BEHAVIOUR 4, "Authenticators"). One that cannot say, for
 * want of its API server or its issuer, counts as one that says no.
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
    if (reasons.length === 0) throw new AuthenticationError(nothingShown(credentials));
    throw new AuthenticationError(reasons.join('; '), {
      cause: causes.length === 1 ? causes[0] : causes,
      isTemporary: causes.some(isTemporaryFailure),
      isOverload: causes.some((cause) => cause instanceof AuthenticationError && cause.isOverload),
    });
  };
}

/** What others than our own errors say is for the log alone: they may quote anything. */
function reasonOf(error: unknown): string {
  return error instanceof AuthenticationError ? error.message : 'it cannot be asked at present';
}

function nothingShown({ bearerToken, verifiedCertificate }: CallCredentials): string {
  if (bearerToken === undefined && verifiedCertificate === undefined) {
    return 'the caller has shown neither a client certificate nor a bearer token';
  }
  return 'nobody here can judge what the caller has shown';
}
