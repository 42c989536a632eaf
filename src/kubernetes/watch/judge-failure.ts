import { ApiError } from '../client/api-error.js';

/** How the watching of one resource stands. */
export type ReflectorState =
  /** Everything is there, and changes come in. */
  | { readonly type: 'synced' }
  /** The API server has no such kind: its CRD is not installed. */
  | { readonly type: 'missing' }
  /** RBAC does not allow it. */
  | { readonly type: 'forbidden'; readonly verb: 'list' | 'watch'; readonly err: ApiError }
  /** Something else is wrong; what is there stays. */
  | { readonly type: 'failing'; readonly err: unknown };

export interface Failure {
  readonly error: unknown;
  /** What was tried. */
  readonly verb: 'list' | 'watch';
  /** Nothing has worked for as long as what starts needs to start. */
  readonly isLasting: boolean;
  /** 404s in a row, this one included. */
  readonly misses: number;
  /** Nothing is held that could be lost. */
  readonly isEmpty: boolean;
}

/** What follows from a failure. */
export interface Verdict {
  /** The next attempt is a list. */
  readonly losesPlace: boolean;
  /** What to tell; undefined when it is too early for a judgement. */
  readonly state: ReflectorState | undefined;
}

/** So many 404s in a row mean that a kind that was there is gone; an API server that starts may say so once. */
const BELIEVED_MISSES = 3;

/** Says what the failure of a list or watch means for the resource. */
export function judgeFailure({ error, verb, isLasting, misses, isEmpty }: Failure): Verdict {
  const failing = { type: 'failing', err: error } as const;
  if (!(error instanceof ApiError)) return { losesPlace: false, state: failing };
  if (error.isExpired) return { losesPlace: true, state: undefined };
  switch (error.status) {
    case 404:
      return { losesPlace: true, state: isEmpty || misses >= BELIEVED_MISSES ? { type: 'missing' } : undefined };
    case 403: {
      // Where only the watch is forbidden, listing again and again is the next best.
      const state = { type: 'forbidden', verb, err: error } as const;
      return { losesPlace: verb === 'watch', state: isLasting ? state : undefined };
    }
    case 429:
      // So answers a CRD that has just been installed, for a second.
      return { losesPlace: false, state: isLasting ? failing : undefined };
    default:
      return { losesPlace: false, state: failing };
  }
}
