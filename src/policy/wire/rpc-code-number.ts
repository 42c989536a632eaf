import type { RpcCode } from '../client/policy-status.js';

/** By number, as google.rpc.Code has them. */
const CODES: readonly RpcCode[] = [
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
];

/** The number of a code on the wire. */
export function rpcCodeNumber(code: RpcCode): number {
  return CODES.indexOf(code);
}

/** The code with the number; a number that nobody knows refuses as UNKNOWN does. */
export function rpcCodeOf(number: number): RpcCode {
  return CODES[number] ?? 'UNKNOWN';
}
