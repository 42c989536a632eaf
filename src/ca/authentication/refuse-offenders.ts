import { AuthenticationError, isTemporaryFailure } from './authenticator.js';
import type { AuthenticateCaller } from './caller-authentication.js';
import type { Offenders } from './offenders.js';

/**
 * Refuses callers unasked whose address has failed too often; a client certificate was verified without asking.
 *
 * @param onRefused is told of each caller that was refused unasked
 */
export function refuseOffenders(
  authenticate: AuthenticateCaller,
  offenders: Offenders,
  onRefused: () => void,
): AuthenticateCaller {
  return async (credentials) => {
    const address = addressOf(credentials.peer);
    if (credentials.verifiedCertificate === undefined && offenders.isBlocked(address)) {
      offenders.refused(address);
      onRefused();
      throw blockedError(address);
    }
    try {
      return await authenticate(credentials);
    } catch (error) {
      if (error instanceof AuthenticationError && error.isOverload && offenders.isBlocked(address)) {
        onRefused();
        offenders.refused(address);
      } else if (!isTemporaryFailure(error)) offenders.refused(address);
      throw error;
    }
  };
}

export function blockedError(address: string): AuthenticationError {
  return new AuthenticationError(
    `too many callers at the address ${address} failed to prove who they are (NAV_FAILED_CALLERS_BURST, NAV_FAILED_CALLERS_RATE); try again later`,
    { isOverload: true },
  );
}

/** Of a peer as grpc-js names it: a peer that comes again has another port. */
export function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '');
}
