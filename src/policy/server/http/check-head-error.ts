/** A Check over HTTP/1.1 that cannot be read or answered. The caller gets the message. */
export class CheckHeadError extends Error {
  readonly code = 'INVALID_CHECK';

  constructor(message: string) {
    super(message);
    this.name = 'CheckHeadError';
  }
}
