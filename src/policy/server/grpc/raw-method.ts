import type { MethodDefinition } from '@grpc/grpc-js';

const passThrough = (bytes: Buffer): Buffer => bytes;

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
