export type SourceErrorCode = 'DIRECTORY_MISSING' | 'NOT_A_DIRECTORY' | 'DIRECTORY_UNREADABLE';

/** Why a source can never deliver: a mistake of whoever configured it. */
export class SourceError extends Error {
  readonly code: SourceErrorCode;

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceError';
    this.code = code;
  }
}
