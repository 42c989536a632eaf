import type { MethodDefinition } from '@grpc/grpc-js';

/** Codec of messages that stay bytes; the handler decodes them. */
export const passThrough = (bytes: Buffer): Buffer => bytes;

/**
 * A unary method whose messages stay bytes, so that the handler can answer a message that it cannot decode. Otherwise
 * gRPC would answer.
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
 * A bidirectional method whose requests stay bytes.
 *
 * @param path `/<service>/<method>`
 * @param responseSerialize encodes a response
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
