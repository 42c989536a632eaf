/** gRPC status codes with which we end a stream. */
export type StreamErrorCode =
  | 'INVALID_ARGUMENT'
  | 'UNAVAILABLE'
  | 'UNIMPLEMENTED'
  | 'DEADLINE_EXCEEDED'
  | 'INTERNAL'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED';

/** Why a discovery stream ends; the message is what the proxy's log shows. */
export class StreamError extends Error {
  readonly code: StreamErrorCode;

  constructor(code: StreamErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StreamError';
    this.code = code;
  }
}
