import type { ServerDuplexStream } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import type { DiscoveryStream } from './discovery-stream.js';
import type { StreamError } from './stream-error.js';

/** A discovery stream over grpc-js, which passes raw messages through. */
export function createGrpcStream(call: ServerDuplexStream<Buffer, Buffer>): DiscoveryStream {
  let ended = false;
  return {
    peer: call.getPeer(),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (ended || call.destroyed || call.cancelled) {
          reject(new Error('the stream has ended'));
          return;
        }
        // grpc-js never calls back for a message that a cancelled call drops.
        const onClose = (): void => reject(new Error('the stream has ended'));
        call.once('close', onClose);
        call.once('cancelled', onClose);
        call.write(message, (error: Error | null | undefined) => {
          call.off('close', onClose);
          call.off('cancelled', onClose);
          if (error) reject(error);
          else resolve();
        });
      }),
    end: (error?: StreamError) => {
      if (ended) return;
      ended = true;
      if (error === undefined) call.end();
      else call.emit('error', Object.assign(error, { code: status[error.code], details: error.message }));
    },
  };
}
