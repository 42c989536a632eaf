import { ApiError } from '../client/api-error.js';

/** The state of the watch of one resource. */
export type ReflectorState =
  /** The list is complete, and changes arrive. */
  | { readonly type: 'synced' }
  /** The API server has no such kind: its CRD is not installed. */
  | { readonly type: 'missing' }
  /** RBAC does not allow it. */
  | { readonly type: 'forbidden'; readonly verb: 'list' | 'watch'; readonly err: ApiError }
  /** Another error; the last state of the list stays. */
  | { readonly type: 'failing'; readonly err: unknown };

export interface Failure {
  readonly error: unknown;
  /** The failed request. */
  readonly verb: 'list' | 'watch';
  /** No request has succeeded for longer than an API server needs to start. */
  readonly isLasting: boolean;
  /** Number of consecutive 404 answers, this one included. */
  readonly misses: number;
  /** Whether the sink has no objects that could be lost. */
  readonly isEmpty: boolean;
}

/** The consequences of a failure. */
export interface Verdict {
  /** The next request must be a list. */
  readonly losesPlace: boolean;
  /** The state to report; undefined when it is too early to tell. */
  readonly state: ReflectorState | undefined;
}

/** After this many consecutive 404 answers, a kind counts as removed. A starting API server can send one. */
const BELIEVED_MISSES = 3;

/** Decides what the failure of a list or watch means for the resource. */
export function judgeFailure({ error, verb, isLasting, misses, isEmpty }: Failure): Verdict {
  const failing = { type: 'failing', err: error } as const;
  if (!(error instanceof ApiError)) return { losesPlace: false, state: failing };
  if (error.isExpired) return { losesPlace: true, state: undefined };
  switch (error.status) {
    case 404:
      return { losesPlace: true, state: isEmpty || misses >= BELIEVED_MISSES ? { type: 'missing' } : undefined };
    case 403: {
      // If only the watch is forbidden, repeated lists are the next best.
      const state = { type: 'forbidden', verb, err: error } as const;
      return { losesPlace: verb === 'watch', state: isLasting ? state : undefined };
    }
    case 429:
      // A CRD gives this answer for a second after it was installed.
      return { losesPlace: false, state: isLasting ? failing : undefined };
    default:
      return { losesPlace: false, state: failing };
  }
}
