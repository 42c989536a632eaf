/** Canonical gRPC codes by number. */
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

export type RpcCode = (typeof RPC_CODES)[number];

/** Outcome of a check or of a call: `OK` allows, everything else refuses with the message as its reason. */
export interface PolicyStatus {
  readonly code: RpcCode;
  readonly message: string;
}

export const OK_STATUS: PolicyStatus = { code: 'OK', message: '' };

/** Reads a code from the wire; numbers that gRPC does not know are UNKNOWN, never OK. */
export function rpcCodeOf(number: number): RpcCode {
  return RPC_CODES[number] ?? 'UNKNOWN';
}

/** The number of a code on the wire. */
export function rpcCodeNumber(code: RpcCode): number {
  return RPC_CODES.indexOf(code);
}
