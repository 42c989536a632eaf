import type { ServerHttp2Stream } from 'node:http2';

/**
 * The HTTP/2 stream below a call that grpc-js serves. The fields are not part of the interface of grpc-js: if a version
 * names them differently, the result is undefined, and a test fails.
 */
export function http2StreamOf(call: object): ServerHttp2Stream | undefined {
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
