import { OverloadError } from '../base/concurrency-limiter.js';

/** gRPC status codes with which the server ends a stream. */
export type StreamErrorCode =
  | 'INVALID_ARGUMENT'
  | 'UNAVAILABLE'
  | 'UNIMPLEMENTED'
  | 'DEADLINE_EXCEEDED'
  | 'INTERNAL'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED';

/** The reason why a discovery stream ends. The proxy's log shows the message. */
export class StreamError extends Error {
  readonly code: StreamErrorCode;

  constructor(code: StreamErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StreamError';
    this.code = code;
  }
}

/** The error that a peer gets. INTERNAL stands for each error of this server, and does not describe it to the peer. */
export function toStreamError(cause: unknown): StreamError {
  if (cause instanceof StreamError) return cause;
  if (cause instanceof OverloadError) return new StreamError('RESOURCE_EXHAUSTED', cause.message, { cause });
  return new StreamError('INTERNAL', 'internal error', { cause });
}
