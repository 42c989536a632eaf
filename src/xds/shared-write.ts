import type { ServerHttp2Stream } from 'node:http2';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { WireMessage } from '../envoy/wire-message.js';

/** A call whose messages pass through as bytes, both ways. */
export type RawCall = ServerDuplexStream<Buffer, WireMessage>;

/** Puts a message together: what grpc-js asks for when it writes by itself. */
export function serializeMessage(message: WireMessage): Buffer {
  return Buffer.concat(message.pieces, message.byteLength);
}

/**
 * Writes one gRPC frame; calls back when its last piece has been handed to the kernel. grpc-js copies every message
 * once per stream to put its 5-byte frame before it; written here, the pieces that streams share go to the socket as
 * they are, which is most of the memory and a good part of the CPU of a push
 * (docs/architecture.md#rules-that-keep-it-fast). Everything else about the call stays with grpc-js.
 */
export function writeShared(
  call: RawCall,
  stream: ServerHttp2Stream,
  message: WireMessage,
  done: (error?: Error | null) => void,
): void {
  if (!stream.headersSent) call.sendMetadata(new Metadata());
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.byteLength, 1);
  const last = message.pieces.length - 1;
  stream.cork();
  stream.write(prefix);
  message.pieces.forEach((piece, index) => {
    if (index < last) stream.write(piece);
    else stream.write(piece, done);
  });
  stream.uncork();
}
