import type { DiscoveryStream } from './discovery-stream.js';
import { StreamError } from './stream-error.js';

/** A call with exactly one response. A caller that gets none would report an error of the protocol instead. */
export function createUnaryStream(stream: DiscoveryStream): DiscoveryStream {
  let hasResponded = false;
  return {
    peer: stream.peer,
    isDirect: stream.isDirect ?? false,
    send: (message, done) => {
      if (hasResponded) {
        done(new Error('the call has its response'));
        return;
      }
      hasResponded = true;
      stream.send(message, done);
    },
    end: (error) => {
      const unserved = hasResponded ? undefined : new StreamError('UNIMPLEMENTED', UNSERVED);
      stream.end(error ?? unserved);
    },
  };
}

const UNSERVED = 'the server has no resources of this type for the caller, or the call has no request';
