/** gRPC status codes of calls that CreateCertificate refuses. */
export type CallFailureCode =
  | 'INVALID_ARGUMENT'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'CANCELLED'
  | 'UNIMPLEMENTED'
  | 'INTERNAL';

/** What a caller is told when it gets no certificate. */
export class CallFailure extends Error {
  readonly code: CallFailureCode;

  constructor(code: CallFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CallFailure';
    this.code = code;
  }
}
