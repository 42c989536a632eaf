import type { WorkloadIdentity } from '../model/identity/spiffe-id.js';

/** What makes one stream's session different from another's. */
export interface SessionOptions {
  /** The only type of a per-type service; undefined on the aggregated one. */
  readonly onlyType?: string | undefined;
  /** Who the caller has proven to be; left out where nobody is asked. */
  readonly callerIdentities?: readonly WorkloadIdentity[] | undefined;
}
