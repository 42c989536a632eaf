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
 * The HTTP/2 stream under a call. grpc-js copies every message once per stream to put its 5-byte frame before
 * it; written here, the pieces that streams share go to the socket as they are, which is most of the memory and
 * a good part of the CPU of a push (DESIGN section 5). Everything else about the call stays with grpc-js.
 *
 * Undefined where grpc-js is built otherwise than we know it (the field is not part of its interface): then
 * messages go through it, copied and well. A test notices.
 */
export function http2StreamOf(call: RawCall): ServerHttp2Stream | undefined {
  const inner: unknown = Reflect.get(call, 'call');
  if (typeof inner !== 'object' || inner === null) return undefined;
  const stream: unknown = Reflect.get(inner, 'stream');
  const isHttp2Stream =
    typeof stream === 'object' &&
    stream !== null &&
    'respond' in stream &&
    'pushAllowed' in stream &&
    'write' in stream;
  return isHttp2Stream ? (stream as ServerHttp2Stream) : undefined;
}

/** Writes one gRPC frame; calls back when its last piece has been handed to the kernel. */
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
