const CODES = [
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

/** Canonical gRPC codes by name. */
export type RpcCode = (typeof CODES)[number];

/** All of them. */
export const RPC_CODES: ReadonlySet<string> = new Set(CODES);

/** Outcome of a check or of a call: `OK` allows, everything else refuses with the message as its reason. */
export interface PolicyStatus {
  readonly code: RpcCode;
  readonly message: string;
}

export const OK_STATUS: PolicyStatus = { code: 'OK', message: '' };
