import type { ServerHttp2Stream } from 'node:http2';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { WireMessage } from '../envoy/wire-message.js';

/** A call whose messages pass through as bytes, both ways. */
export type RawCall = ServerDuplexStream<Buffer, WireMessage>;

/** Joins the pieces of a message. grpc-js calls it if it writes the message itself. */
export function serializeMessage(message: WireMessage): Buffer {
  return Buffer.concat(message.pieces, message.byteLength);
}

/**
 * Writes one gRPC frame; calls back when its last piece has been handed to the kernel. grpc-js copies every message
 * once per stream to prepend its 5-byte frame. This function writes the shared pieces without a copy, which saves most
 * of the memory and much of the CPU of a push (docs/architecture.md#rules-that-keep-it-fast). grpc-js does everything
 * else.
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
