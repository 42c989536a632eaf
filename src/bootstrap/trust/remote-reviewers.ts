import type { TokenReviewer } from '../../ca/authentication/token-review.js';
import type { RemoteClusterObserver } from '../../sources/clusters/remote-clusters.js';

/** The API servers of remote clusters, as those who know the tokens of their workloads. */
export interface RemoteReviewers {
  readonly observer: RemoteClusterObserver;
  /** Undefined for a cluster that is not read. */
  of(clusterId: string): TokenReviewer | undefined;
}

export function createRemoteReviewers(): RemoteReviewers {
  const reviewers = new Map<string, TokenReviewer>();
  return {
    observer: {
      reached: ({ id, link: { send } }) => void reviewers.set(id, { cluster: id, send }),
      removed: (id) => void reviewers.delete(id),
    },
    of: (clusterId) => reviewers.get(clusterId),
  };
}
