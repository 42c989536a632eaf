import type { MethodDefinition } from '@grpc/grpc-js';

const passThrough = (bytes: Buffer): Buffer => bytes;

function unary<const Path extends string>(path: Path): MethodDefinition<Buffer, Buffer> & { readonly path: Path } {
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
 * The service `mesh.policy.v1.Policy`, in bytes: what is in them is read where an error can still be answered with what
 * is wrong, which the gRPC library's own decoding cannot.
 */
export const POLICY_METHODS = {
  Check: unary('/mesh.policy.v1.Policy/Check'),
  Report: unary('/mesh.policy.v1.Policy/Report'),
} as const;
