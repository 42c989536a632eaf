import { type ApiAnswer, refusalText } from '../../kubernetes/client/api-sender.js';

/** The consequence of an answer to a write of a status. */
export type WriteOutcome =
  | { readonly type: 'written' }
  /** The object was removed or replaced, which the watch reports, or its CRD has no status. */
  | { readonly type: 'gone' }
  /** RBAC forbids the write for all objects of the kind. */
  | { readonly type: 'kindRefused'; readonly reason: string; readonly remedy: string }
  /** The API server rejects this status of this object. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The API server is unavailable or limits requests. */
  | { readonly type: 'later'; readonly reason: string; readonly waitMs: number | undefined };

/** @param resource plural and group: `quotaspecs.config.mesh.internal` */
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
