import { LimitError } from './limits/xds-limits.js';
import { TooManyNamesError } from './request-wire.js';
import { StreamError } from './stream-error.js';

/**
 * Reads a request from its bytes.
 *
 * @param message the name of the message, for the error
 * @param maxNames that `read` checks
 * @throws LimitError if the request has too many names, StreamError INVALID_ARGUMENT if the bytes are malformed
 */
export function parseRequest<Request>(message: string, maxNames: number, read: () => Request): Request {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof TooManyNamesError) {
      throw new LimitError('names', `the request names more than ${maxNames} resources`);
    }
    throw new StreamError('INVALID_ARGUMENT', `the message is not a ${message}`, { cause });
  }
}
