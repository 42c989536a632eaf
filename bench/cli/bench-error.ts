/** What went wrong, for tests and for --json. */
export type BenchErrorCode =
  | 'client-failed'
  | 'envoy-failed'
  | 'folder-not-empty'
  | 'kubernetes-missing'
  | 'mesh-folder-differs'
  | 'server-failed'
  | 'timed-out'
  | 'worker-failed';

/** A failure of a bench run that its message explains to the person who started it: no stack trace is needed. */
export class BenchError extends Error {
  readonly code: BenchErrorCode;

  constructor(code: BenchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BenchError';
    this.code = code;
  }
}
