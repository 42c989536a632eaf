export type SourceErrorCode = 'DIRECTORY_MISSING' | 'NOT_A_DIRECTORY' | 'DIRECTORY_UNREADABLE';

/** A source can never deliver: its configuration is wrong. */
export class SourceError extends Error {
  readonly code: SourceErrorCode;

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceError';
    this.code = code;
  }
}
