/** Canonical gRPC codes; the position of a name is its number (google.rpc.Code). */
const RPC_CODES = [
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

/** Name of a canonical gRPC code. */
export type RpcCode = (typeof RPC_CODES)[number];

const NUMBERS: ReadonlyMap<string, number> = new Map(RPC_CODES.map((code, number) => [code, number]));

/** The name of a code on the wire. An unknown number is `UNKNOWN`, so that metric labels made of names stay few. */
export function rpcCodeOf(number: number): RpcCode {
  return RPC_CODES[number] ?? 'UNKNOWN';
}

/** The number of a code on the wire. */
export function rpcCodeNumber(code: RpcCode): number {
  return NUMBERS.get(code) ?? 2;
}

/** Whether a value is the name of a canonical code. */
export function isRpcCode(value: unknown): value is RpcCode {
  return typeof value === 'string' && NUMBERS.has(value);
}
