import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { CheckDecision } from '../client/check-flow.js';
import type { QuotaCharge } from '../client/compile-quota-specs.js';
import type { ServiceCallConfig } from '../client/policy-client.js';
import { OK_STATUS } from '../client/policy-status.js';
import type { CallOptions, CheckRequest, CheckResponse } from '../client/policy-transport.js';
import type { NetworkFailPolicyConfig, TransportConfig } from '../client/transport-config.js';

/** A request or connection of a proxy that the handlers decide about. */
export interface HandlerCheck {
  readonly attributes: AttributeBag;
  /** The charges of all quota rules that match, in their order. Charges of one quota add up. */
  readonly quotas: readonly QuotaCharge[];
  /** What specs in a dry run would charge; missing for a service without such specs. */
  readonly dryRunQuotas?: readonly QuotaCharge[] | undefined;
  /** The charges of the plan of the request; missing for a service without plans. */
  readonly planCharges?: readonly PlanCharge[] | undefined;
  /** Equal for all attempts at one check; undefined when the attempts cannot be told from other requests. */
  readonly deduplicationId: string | undefined;
  /** Of the service, else of the proxy. FAIL_OPEN unless it names another policy. */
  readonly failPolicy: NetworkFailPolicyConfig;
  /** How the proxy wants remote servers to be called. */
  readonly transport: TransportConfig;
  /** Missing for a check without receipts. */
  readonly receipt?: ReceiptUse | undefined;
}

/** A limit of a plan that counts the request once. */
export interface PlanCharge {
  /** The name of the limit in the plan, which callers see. */
  readonly policy: string;
  /** The same object while the plan stays the same. */
  readonly limit: QuotaLimit;
  /** Response codes after which the request is given back, with spaces between them; absent: never. */
  readonly refundCodes?: string;
}

/**
 * What a receipt spares the check of the service's own proxy: the charges of the same counters, or all charges of the
 * same quotas, also where the two proxies see different values of a dimension.
 */
export type ReceiptScope = 'counters' | 'quotas';

/** A request can pass two proxies that check it: a router, and the proxy of the service. A receipt joins the checks. */
export type ReceiptUse = {
  /** The host that the request is for: a receipt is of no use for another service. */
  readonly service: string;
} & ({ readonly type: 'issue'; readonly scope: ReceiptScope } | { readonly type: 'redeem'; readonly receipt: string });

/** A request or connection that has ended, or goes on. */
export interface HandlerReport {
  readonly attributes: AttributeBag;
  readonly service: ServiceCallConfig;
  /** The ticket of its check, when its response code may give charges back. */
  readonly refund?: { readonly ticket: string; readonly responseCode: number } | undefined;
}

/** One step of the policy server's decisions: it counts quotas, asks a remote server, or applies rules. */
export interface PolicyHandler {
  /** Constant and unique in a chain. */
  readonly name: string;
  /**
   * Decides about a check. A handler that need not wait returns the decision itself, without a promise. A handler that
   * waits for another process has a deadline of its own, and applies the fail policy when that process gives no answer.
   */
  check(check: HandlerCheck): CheckDecision | Promise<CheckDecision>;
  /**
   * Answers a Check of `mesh.policy.v1`, whose caller applies its own fail policy and may ask for a part of an amount.
   *
   * @throws PolicyTransportError when there is no answer
   */
  answer(request: CheckRequest, options: CallOptions): CheckResponse | Promise<CheckResponse>;
  /** Takes a report; missing for a handler that takes none. */
  report?(report: HandlerReport): void;
  /** Settles when all reports are sent and all connections are closed. */
  close(): Promise<void>;
}

/** The decision that neither refuses nor charges anything. */
export const ALLOWED: CheckDecision = {
  status: OK_STATUS,
  isCheckCacheHit: false,
  isQuotaCacheHit: false,
  exhaustedQuotas: [],
};
