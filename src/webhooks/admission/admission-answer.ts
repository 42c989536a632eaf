import type { AdmissionRequest } from './admission-request.js';
import type { WorkPace } from './work-pace.js';

/** An operation of RFC 6902 that the injector uses. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The answer to the API server, which passes message and warnings to its user. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** Why the request is rejected; kubectl shows it. */
  readonly message?: string;
  /** HTTP status of the API server's response to its user; default 400. */
  readonly code?: number;
  /** Machine-readable, for example `Invalid`. */
  readonly reason?: string;
  /** One line each, for the user of an allowed request; lines longer than 256 characters are cut. */
  readonly warnings?: readonly string[];
  /** Only with `allowed`; an empty one is left out. */
  readonly patch?: readonly PatchOperation[];
}

/** How a request arrived. */
export interface AdmissionCall {
  /** Path of the URL, without query: `/inject/cluster/X/net/Y`. */
  readonly path: string;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Paces heavy work of the handler; each lane of the queue has its own. */
  readonly pace: WorkPace;
}

/**
 * Answers one request.
 *
 * @throws any error: the endpoint then answers 500, and the API server applies the webhook's failurePolicy
 */
export type AdmissionHandler = (
  request: AdmissionRequest,
  call: AdmissionCall,
) => AdmissionAnswer | Promise<AdmissionAnswer>;
