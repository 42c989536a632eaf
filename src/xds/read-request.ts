import { LimitError } from './limits/limit-error.js';
import { type KnownNames, type RawDiscoveryRequest, readDiscoveryRequest, TooManyNamesError } from './request-wire.js';
import { shorten } from './shorten.js';
import { StreamError } from './stream-error.js';

/**
 * Reads a request as far as its names.
 *
 * @throws LimitError when it has too many names, StreamError INVALID_ARGUMENT when it is no DiscoveryRequest
 */
export function parseRequest(
  message: Buffer,
  knownNames: readonly KnownNames[],
  maxNames: number,
): RawDiscoveryRequest {
  try {
    return readDiscoveryRequest(message, { knownNames, maxNames });
  } catch (cause) {
    if (cause instanceof TooManyNamesError) {
      throw new LimitError('names', `the request names more than ${maxNames} resources`);
    }
    throw new StreamError('INVALID_ARGUMENT', 'the message is not a DiscoveryRequest', { cause });
  }
}

/**
 * The type that a request is for.
 *
 * @param onlyType of a per-type service; undefined on the aggregated one
 * @throws StreamError INVALID_ARGUMENT
 */
export function typeOf({ typeUrl }: RawDiscoveryRequest, onlyType: string | undefined): string {
  if (onlyType === undefined) {
    if (typeUrl === '') throw new StreamError('INVALID_ARGUMENT', 'type_url is missing: an aggregated stream needs it');
    return typeUrl;
  }
  if (typeUrl !== '' && typeUrl !== onlyType) {
    throw new StreamError('INVALID_ARGUMENT', `invalid type ${shorten(typeUrl)}, expected ${onlyType}`);
  }
  return onlyType;
}
