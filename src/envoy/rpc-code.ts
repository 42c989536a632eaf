/** Canonical gRPC codes by number, as google.rpc.Code has them. */
export const RPC_CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

/** The code with the number; a number that nobody knows is UNKNOWN, so that names are a bounded set. */
export function rpcCodeOf(number: number): (typeof RPC_CODES)[number] {
  return RPC_CODES[number] ?? 'UNKNOWN';
}
