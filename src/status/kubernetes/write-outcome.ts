import { type ApiAnswer, refusalText } from '../../kubernetes/client/api-sender.js';

/** What an answer to a write of a status means for the next one. */
export type WriteOutcome =
  | { readonly type: 'written' }
  /** The object is gone, or is another one now, and the watch will tell; or its CRD has no status to write. */
  | { readonly type: 'gone' }
  /** RBAC: no object of the kind can be written. */
  | { readonly type: 'kindRefused'; readonly reason: string; readonly remedy: string }
  /** The API server does not take this status of this object. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The API server cannot now. */
  | { readonly type: 'later'; readonly reason: string; readonly waitMs: number | undefined };

/** @param resource `quotaspecs.config.mesh.internal` */
export function writeOutcome(answer: ApiAnswer, resource: string): WriteOutcome {
  const { status, retryAfterMs } = answer;
  const reason = refusalText(answer);
  if (status >= 200 && status < 300) return { type: 'written' };
  switch (status) {
    case 404:
    case 409:
      return { type: 'gone' };
    case 403:
      return { type: 'kindRefused', reason, remedy: `let the service account patch ${resource}/status` };
    case 401:
    case 408:
    case 429:
      return { type: 'later', reason, waitMs: retryAfterMs };
    default:
      return status >= 500 ? { type: 'later', reason, waitMs: retryAfterMs } : { type: 'refused', reason };
  }
}
