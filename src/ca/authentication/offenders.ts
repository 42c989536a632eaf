import type { Clock } from '../../base/clock.js';
import { AuthenticationError, isTemporaryFailure } from './authenticator.js';
import type { AuthenticateCaller } from './caller-authentication.js';

/** How many callers of one address may fail to authenticate. */
export interface OffenderLimits {
  /** Failures in a short time. */
  readonly burst: number;
  /** Failures per second in the long run. */
  readonly perSecond: number;
}

/**
 * Addresses whose callers fail to authenticate repeatedly. Each failure costs a request to an API server. An address
 * that has used up its failures is rejected without such a request for a while.
 */
export interface Offenders {
  /** Whether callers of the address are rejected without a check. */
  isBlocked(address: string): boolean;
  /** Whether the address continues although it is rejected, so that its connections are not worth a TLS handshake. */
  isFlooding(address: string): boolean;
  /** Counts a rejected caller of the address. */
  refused(address: string): void;
}

interface Account {
  /** Failures that are left; negative if the address continues regardless. */
  left: number;
  atMs: number;
}

/** The largest debt of an address, as a share of the burst. */
const MAX_DEBT = 0.2;
/** Stored addresses; the one that was rejected least recently is evicted. */
const MAX_ADDRESSES = 10_000;

export function createOffenders({ burst, perSecond }: OffenderLimits, clock: Clock): Offenders {
  const accounts = new Map<string, Account>();
  const debt = Math.ceil(burst * MAX_DEBT);

  const leftOf = (address: string): number => {
    const account = accounts.get(address);
    if (account === undefined) return burst;
    return Math.min(burst, account.left + ((clock.monotonicMs() - account.atMs) / 1000) * perSecond);
  };

  return {
    isBlocked: (address) => leftOf(address) < 1,
    isFlooding: (address) => leftOf(address) <= 1 - debt,
    refused: (address) => {
      const left = Math.max(-debt, leftOf(address) - 1);
      accounts.delete(address);
      const [oldest] = accounts.keys();
      if (accounts.size >= MAX_ADDRESSES && oldest !== undefined) accounts.delete(oldest);
      accounts.set(address, { left, atMs: clock.monotonicMs() });
    },
  };
}

/**
 * Rejects callers of an address that has failed too often, without a check. Callers with a client certificate are not
 * affected, because TLS has verified it already.
 *
 * @param onRefused called for each caller that is rejected without a check
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
    `too many callers at the address ${address} failed to authenticate (NAV_FAILED_CALLERS_BURST, NAV_FAILED_CALLERS_RATE); try again later`,
    { isOverload: true },
  );
}

/** The address of a peer in the form of grpc-js, without the port, because each connection has another port. */
export function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '');
}
