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
 *
 * @param frame the pieces of the frame, from FramePieces
 */
export function writeShared(
  call: RawCall,
  stream: ServerHttp2Stream,
  frame: readonly Uint8Array[],
  done: (error?: Error | null) => void,
): void {
  if (!stream.headersSent) call.sendMetadata(new Metadata());
  const last = frame.length - 1;
  if (last > 0) stream.cork();
  for (let index = 0; index < last; index++) stream.write(frame[index]);
  stream.write(frame[last], done);
  if (last > 0) stream.uncork();
}
