import type { RpcCode } from '../../base/rpc-code.js';
import type { AttributeBag } from './attribute-bag.js';
import type { PolicyStatus, RouteDirective } from './policy-status.js';
import type { ReferencedAttributes } from './referenced-attributes.js';

/** The charge of one quota in a call. */
export interface QuotaParams {
  readonly amount: number;
  /** Whether a part of the amount is useful. Otherwise the server grants all or nothing. */
  readonly bestEffort: boolean;
}

/** A Check call (docs/reference/policy-client.md#wire-protocol). The transport encodes the attributes. */
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
  /**
   * The attributes that the answer depends on. Missing: the answer cannot be cached. Empty: it holds for every request.
   */
  readonly referencedAttributes?: ReferencedAttributes;
  readonly routeDirective?: RouteDirective;
}

export interface QuotaResult {
  readonly grantedAmount: number;
  /** How long the granted amount may be used; missing means as long as the client keeps grants, 60 s. */
  readonly validDurationMs?: number;
  /** UNAVAILABLE: the server could not count. Missing means OK. */
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
  /** The deadline of the call in milliseconds. The client stops waiting then in any case. */
  readonly timeoutMs: number;
  /** Aborted when the client stops waiting. Created at its first use, so that other transports do not pay for it. */
  readonly signal: AbortSignal;
}

/**
 * Carries calls to a policy server. Rejects with PolicyTransportError when there is no answer. A transport that decides
 * in this process answers without a promise: such a call needs neither a deadline nor a turn of the microtask queue.
 */
export interface PolicyTransport {
  check(request: CheckRequest, options: CallOptions): CheckResponse | Promise<CheckResponse>;
  report(request: ReportRequest, options: CallOptions): Promise<void>;
}

/** The kind of failure, as the client counts it. */
export type TransportFailure = 'timeout' | 'send' | 'other';

/** A call that got no answer from the policy server. */
export class PolicyTransportError extends Error {
  readonly code: RpcCode;
  readonly failure: TransportFailure;

  /** @param code of the refusal under FAIL_CLOSE; UNAVAILABLE unless the transport knows a better one */
  constructor(failure: TransportFailure, message: string, options?: ErrorOptions & { readonly code?: RpcCode }) {
    super(message, options);
    this.name = 'PolicyTransportError';
    this.failure = failure;
    // An error with the code OK would let requests pass under FAIL_CLOSE.
    this.code = options?.code === undefined || options.code === 'OK' ? 'UNAVAILABLE' : options.code;
  }
}
