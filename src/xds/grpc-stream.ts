import { status } from '@grpc/grpc-js';
import type { FramePieces, WireMessage } from '../envoy/wire-message.js';
import { http2StreamOf } from '../net/http2-stream-of.js';
import type { DiscoveryStream } from './discovery-stream.js';
import { isRelayed } from './relayed.js';
import { type RawCall, writeShared } from './shared-write.js';
import type { StreamError } from './stream-error.js';

/** A discovery stream over grpc-js. */
export function createGrpcStream(call: RawCall, frames: FramePieces): DiscoveryStream {
  // Without the HTTP/2 stream of the call, grpc-js writes the messages, with a copy.
  const http2Stream = http2StreamOf(call);
  let ended = false;
  /** Messages that a closed or cancelled call drops: grpc-js does not call back for these. */
  const waiting = new Set<(error?: Error) => void>();
  const drop = (): void => {
    const dropped = [...waiting];
    waiting.clear();
    for (const done of dropped) done(new Error('the stream has ended'));
  };
  call.once('close', drop);
  call.once('cancelled', drop);
  const write = (message: WireMessage, done: (error?: Error | null) => void): void => {
    if (http2Stream === undefined) call.write(message, done);
    else writeShared(call, http2Stream, frames.of(message), done);
  };
  return {
    peer: call.getPeer(),
    isDirect: !isRelayed(call.metadata),
    send: (message, done) => {
      if (ended || call.destroyed || call.cancelled || http2Stream?.destroyed) {
        done(new Error('the stream has ended'));
        return;
      }
      waiting.add(done);
      write(message, (error) => {
        if (waiting.delete(done)) done(error ?? undefined);
      });
    },
    end: (error?: StreamError) => {
      if (ended) return;
      ended = true;
      if (error === undefined) call.end();
      else call.emit('error', Object.assign(error, { code: status[error.code], details: error.message }));
    },
  };
}
