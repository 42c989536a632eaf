import { formatSpiffeId, type WorkloadIdentity } from '../../../model/spiffe-id.js';
import { AuthenticationError } from '../authenticator.js';
import type { AccountDirectory } from './account-directory.js';

/** Checks whether the service account of an identity still exists, for callers that renew without a token. */
export interface AccountChecks {
  /**
   * For callers that present only a certificate.
   *
   * @throws AuthenticationError when the account is gone; a temporary one when no API server can answer
   */
  mustExist(identity: WorkloadIdentity): Promise<void>;
  /**
   * For certificates that are renewed over a stream; the caller of the stream is authenticated again from time to time.
   *
   * @throws AuthenticationError when the account is gone, or its API server has not answered for longer than the limit
   */
  mustNotBeGone(identity: WorkloadIdentity): void;
  /** Calls the listener once, when the account is gone. @returns a function that removes the listener. */
  onGone(identity: WorkloadIdentity, listener: (reason: AuthenticationError) => void): () => void;
}

/** @param isOwnTrustDomain the clusters hold no accounts of other trust domains, so those are not checked */
export function createAccountChecks(
  directory: Pick<AccountDirectory, 'judge' | 'ready' | 'onGone'>,
  isOwnTrustDomain: (trustDomain: string) => boolean,
): AccountChecks {
  return {
    mustExist: async (identity) => {
      if (!isOwnTrustDomain(identity.trustDomain)) return;
      await directory.ready();
      const verdict = directory.judge(identity);
      if (verdict !== 'present') throw refusalOf(identity, verdict);
    },
    mustNotBeGone: (identity) => {
      if (!isOwnTrustDomain(identity.trustDomain)) return;
      const verdict = directory.judge(identity);
      if (verdict === 'gone' || verdict === 'stale') throw refusalOf(identity, verdict);
    },
    onGone: (identity, listener) => {
      if (!isOwnTrustDomain(identity.trustDomain)) return () => undefined;
      return directory.onGone(identity, () => listener(refusalOf(identity, 'gone')));
    },
  };
}

function refusalOf(identity: WorkloadIdentity, verdict: 'gone' | 'unknown' | 'stale'): AuthenticationError {
  const id = formatSpiffeId(identity);
  switch (verdict) {
    case 'gone':
      return new AuthenticationError(`the service account of ${id} does not exist`);
    case 'unknown':
      return new AuthenticationError(
        `the service account of ${id} was not found, and an API server that may have it does not list its accounts: check its availability and the right to list and watch serviceaccounts`,
        { isTemporary: true },
      );
    case 'stale':
      return new AuthenticationError(
        `the API server of the service account of ${id} has not answered for longer than NAV_ACCOUNT_OUTAGE_LIMIT`,
        { isTemporary: true },
      );
  }
}
