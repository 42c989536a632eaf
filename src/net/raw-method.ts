import type { MethodDefinition } from '@grpc/grpc-js';

/** For messages that pass as bytes: what is in them is read by whoever needs it. */
export const passThrough = (bytes: Buffer): Buffer => bytes;

/**
 * A unary method whose messages pass as bytes: what cannot be decoded is then an error of ours to answer, not one of
 * gRPC's.
 *
 * @param path `/<service>/<method>`
 */
export function rawMethod(path: string): MethodDefinition<Buffer, Buffer> {
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: passThrough,
    requestDeserialize: passThrough,
    responseSerialize: passThrough,
    responseDeserialize: passThrough,
  };
}

/**
 * A bidirectional method whose requests arrive as they were sent.
 *
 * @param path `/<service>/<method>`
 * @param responseSerialize turns what the handler writes into bytes
 */
export function rawStreamingMethod<Response>(
  path: string,
  responseSerialize: (response: Response) => Buffer,
): MethodDefinition<Buffer, Response> {
  return {
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: passThrough,
    requestDeserialize: passThrough,
    responseSerialize,
    responseDeserialize: () => {
      throw new Error(`${path} is only served here, never called`);
    },
  };
}
