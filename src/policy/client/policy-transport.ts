import type { RpcCode } from '../../base/rpc-code.js';
import type { AttributeBag } from './attribute-bag.js';
import type { PolicyStatus, RouteDirective } from './policy-status.js';
import type { ReferencedAttributes } from './referenced-attributes.js';

/** What is asked of one quota. */
export interface QuotaParams {
  readonly amount: number;
  /** Whether a part of the amount is of use; without it the answer is all or nothing. */
  readonly bestEffort: boolean;
}

/**
 * A Check call (docs/reference/policy-client.md#wire-protocol). How the attributes are encoded is the transport's
 * business.
 */
export interface CheckRequest {
  readonly attributes: AttributeBag;
  /** The same for every attempt at one call, so that a server charges once. */
  readonly deduplicationId: string;
  /** By quota name. */
  readonly quotas: ReadonlyMap<string, QuotaParams>;
}

export interface PreconditionResult {
  readonly status: PolicyStatus;
  /** How long the answer may be cached; missing means forever. */
  readonly validDurationMs?: number;
  /** How often the answer may be used from a cache; 0 never, negative without limit. */
  readonly validUseCount: number;
  /** What the answer depends on; missing means that it cannot be cached, an empty list that it depends on nothing. */
  readonly referencedAttributes?: ReferencedAttributes;
  readonly routeDirective?: RouteDirective;
}

export interface QuotaResult {
  readonly grantedAmount: number;
  /** How long the granted amount may be used; missing means as long as the client keeps grants, 60 s. */
  readonly validDurationMs?: number;
  /** UNAVAILABLE says that the server could not count. Missing means OK. */
  readonly status?: PolicyStatus;
  readonly referencedAttributes?: ReferencedAttributes;
  /** When less was granted than asked for: the time until it is worth asking again. Missing means unknown. */
  readonly retryAfterMs?: number;
}

export interface CheckResponse {
  readonly precondition?: PreconditionResult;
  /** By quota name. */
  readonly quotas: ReadonlyMap<string, QuotaResult>;
}

/** One batch of reports. */
export interface ReportRequest {
  readonly attributes: readonly AttributeBag[];
}

export interface CallOptions {
  /** Deadline of the call in milliseconds. The client stops waiting by then, whatever the transport does. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the call any more. Made when it is first read: a transport that needs none costs none. */
  readonly signal: AbortSignal;
}

/**
 * Carries calls to a policy server. Rejects with PolicyTransportError when the server could not be asked. One that can
 * decide in this process answers without a promise: such a call needs neither a deadline nor a turn of its own.
 */
export interface PolicyTransport {
  check(request: CheckRequest, options: CallOptions): CheckResponse | Promise<CheckResponse>;
  report(request: ReportRequest, options: CallOptions): Promise<void>;
}

/** How a call failed, as the client's statistics tell failures apart. */
export type TransportFailure = 'timeout' | 'send' | 'other';

/** A call that got no answer from the policy server. */
export class PolicyTransportError extends Error {
  readonly code: RpcCode;
  readonly failure: TransportFailure;

  /**
   * @param code what a FAIL_CLOSE policy refuses requests with; UNAVAILABLE unless the transport knows better
   */
  constructor(failure: TransportFailure, message: string, options?: ErrorOptions & { readonly code?: RpcCode }) {
    super(message, options);
    this.name = 'PolicyTransportError';
    this.failure = failure;
    // An error that called itself OK would let requests through a closed policy.
    this.code = options?.code === undefined || options.code === 'OK' ? 'UNAVAILABLE' : options.code;
  }
}
