import type { ServerDuplexStream } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { copyWireMessage, type WireMessage } from '../envoy/wire-message.js';
import type { DiscoveryStream } from './discovery-stream.js';
import type { StreamError } from './stream-error.js';

/** A call whose messages pass through as bytes, both ways. */
export type RawCall = ServerDuplexStream<Buffer, WireMessage>;

/**
 * Serialises for grpc-js, which copies every message behind its 5-byte frame and asks nothing more of it than
 * its length and to be copied: so the pieces are copied there at once, and not put together before.
 */
export function serializeForGrpc(message: WireMessage): Buffer {
  const copyable: Pick<Buffer, 'byteLength' | 'copy'> = {
    byteLength: message.byteLength,
    copy: (target: Uint8Array, offset?: number) => {
      copyWireMessage(message, target, offset);
      return message.byteLength;
    },
  };
  return copyable as Buffer;
}

/** A discovery stream over grpc-js. */
export function createGrpcStream(call: RawCall): DiscoveryStream {
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
