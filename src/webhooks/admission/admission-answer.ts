import type { AdmissionRequest } from './admission-request.js';
import type { WorkPace } from './work-pace.js';

/** One operation of RFC 6902, of those that an injector needs. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** What is said to the API server, and by it to its user. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** Why not; shown by kubectl. */
  readonly message?: string;
  /** HTTP status that the API server answers its user with; its own default is 400. */
  readonly code?: number;
  /** Machine-readable, for example `Invalid`. */
  readonly reason?: string;
  /** One line each, for the user of an allowed request; lines longer than 256 characters are cut. */
  readonly warnings?: readonly string[];
  /** Only with `allowed`; an empty one is left out. */
  readonly patch?: readonly PatchOperation[];
}

/** How a question came in. */
export interface AdmissionCall {
  /** Path of the URL, without query: `/inject/cluster/X/net/Y`. */
  readonly path: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** At which the handler does heavy work: reviews of callers that do not compete have another one. */
  readonly pace: WorkPace;
}

/**
 * Answers one question.
 *
 * @throws anything: the call is then answered 500, and the API server acts by the webhook's failurePolicy.
 */
export type AdmissionHandler = (
  request: AdmissionRequest,
  call: AdmissionCall,
) => AdmissionAnswer | Promise<AdmissionAnswer>;
