/** The kind of failure, for tests and --json. */
export type BenchErrorCode =
  | 'client-failed'
  | 'envoy-failed'
  | 'file-not-written'
  | 'folder-not-empty'
  | 'kubernetes-missing'
  | 'mesh-folder-differs'
  | 'server-failed'
  | 'timed-out'
  | 'worker-failed';

/** A failure of a benchmark run. Its message explains it to the user without a stack trace. */
export class BenchError extends Error {
  readonly code: BenchErrorCode;

  constructor(code: BenchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BenchError';
    this.code = code;
  }
}
