import type { RpcCode } from '../../base/rpc-code.js';

/** The outcome of a check or a call. `OK` allows. Every other code refuses, with the message as its reason. */
export interface PolicyStatus {
  readonly code: RpcCode;
  readonly message: string;
}

export const OK_STATUS: PolicyStatus = { code: 'OK', message: '' };

/**
 * The answer that the policy server wants for a refused caller (docs/reference/policy-client.md#wire-protocol:
 * route_directive).
 */
export interface RouteDirective {
  /** HTTP status; 0 or left out leaves the one of the denial. */
  readonly directResponseCode?: number;
  /** Empty or left out leaves the one of the denial. */
  readonly directResponseBody?: string;
  /** Further headers of the answer. Only rules of the same process set them: the wire protocol has no field for them. */
  readonly directResponseHeaders?: Readonly<Record<string, string>>;
}

/** The answer to a refused HTTP request. */
export interface DenialResponse {
  readonly httpStatus: number;
  readonly body: string;
}

/** The HTTP status of each code that refuses (docs/reference/policy-client.md#denials). */
const HTTP_STATUS_OF_DENIAL: Readonly<Record<Exclude<RpcCode, 'OK'>, number>> = {
  CANCELLED: 499,
  UNKNOWN: 500,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DATA_LOSS: 500,
  UNAUTHENTICATED: 401,
};

/**
 * The answer to a refused request: the text of the status under the HTTP status of its code, unless the directive names
 * others. Undefined for OK. A refused TCP connection is closed instead.
 */
export function denialResponse(status: PolicyStatus, directive: RouteDirective = {}): DenialResponse | undefined {
  if (status.code === 'OK') return undefined;
  return {
    httpStatus: directive.directResponseCode || HTTP_STATUS_OF_DENIAL[status.code],
    body: directive.directResponseBody || status.message,
  };
}
