import type { MethodDefinition } from '@grpc/grpc-js';

const passThrough = (bytes: Buffer): Buffer => bytes;

/**
 * A bidirectional method whose requests arrive as they were sent: what is in them is read by whoever needs it.
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

/** For handlers that write bytes. */
export const serializeBytes: (bytes: Buffer) => Buffer = passThrough;
