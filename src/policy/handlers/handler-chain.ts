import type { CheckDecision } from '../client/check-flow.js';
import { OK_STATUS } from '../client/policy-status.js';
import type { CheckResponse, PreconditionResult, QuotaResult } from '../client/policy-transport.js';
import { ALLOWED, type HandlerReport, type PolicyHandler } from './policy-handler.js';

/** Handlers that decide together. */
export interface HandlerChain extends Required<Omit<PolicyHandler, 'name'>> {
  /**
   * Replaces the handlers at once. Calls under way end with the handlers that they began with. Handlers that are no
   * longer in the chain are closed.
   */
  use(handlers: readonly PolicyHandler[]): void;
  /** Settles when all handlers are closed, also those that were replaced. Never rejects. */
  close(): Promise<void>;
}

/**
 * Runs handlers in the given order. The first denial wins, and handlers behind it do not run. Otherwise the chain joins
 * the decisions: quotas, cache hits and failures of all handlers are kept. An empty chain allows everything.
 *
 * @param onCloseFailed gets the errors of handlers that could not be closed
 */
export function createHandlerChain(
  initial: readonly PolicyHandler[],
  onCloseFailed: (error: unknown) => void = () => undefined,
): HandlerChain {
  let handlers = initial;
  const closing = new Set<Promise<void>>();

  const close = (handler: PolicyHandler): void => {
    const closed = handler
      .close()
      .catch(onCloseFailed)
      .finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const use = (next: readonly PolicyHandler[]): void => {
    const replaced = handlers.filter((handler) => !next.includes(handler));
    handlers = next;
    replaced.forEach(close);
  };

  return {
    check: (check) => runInOrder(handlers, (handler) => handler.check(check), joinDecisions, isDenied) ?? ALLOWED,
    answer: (request, options) =>
      runInOrder(handlers, (handler) => handler.answer(request, options), joinResponses, isDeniedResponse) ??
      NO_RESPONSE,
    report: (report: HandlerReport) => {
      for (const handler of handlers) handler.report?.(report);
    },
    use,
    close: async () => {
      use([]);
      await Promise.all(closing);
    },
  };
}

const NO_RESPONSE: CheckResponse = { precondition: { status: OK_STATUS, validUseCount: 0 }, quotas: new Map() };

/** Waits only for handlers that return a promise. */
function runInOrder<Result>(
  handlers: readonly PolicyHandler[],
  run: (handler: PolicyHandler) => Result | Promise<Result>,
  join: (before: Result, next: Result) => Result,
  isFinal: (result: Result) => boolean,
  from = 0,
  before?: Result,
): Result | Promise<Result> | undefined {
  let joined = before;
  for (const [index, handler] of handlers.entries()) {
    if (index < from) continue;
    const result = run(handler);
    if (result instanceof Promise) {
      return result.then((settled) => {
        const all = joined === undefined ? settled : join(joined, settled);
        return isFinal(all) ? all : (runInOrder(handlers, run, join, isFinal, index + 1, all) ?? all);
      });
    }
    joined = joined === undefined ? result : join(joined, result);
    if (isFinal(joined)) return joined;
  }
  return joined;
}

function isDenied({ status }: CheckDecision): boolean {
  return status.code !== 'OK';
}

function isDeniedResponse({ precondition }: CheckResponse): boolean {
  return precondition !== undefined && precondition.status.code !== 'OK';
}

/** @param before has allowed the request */
function joinDecisions(before: CheckDecision, next: CheckDecision): CheckDecision {
  const failure = before.failure ?? next.failure;
  const receipt = before.receipt ?? next.receipt;
  const refund = before.refund ?? next.refund;
  const dryRun = before.dryRun === undefined ? next.dryRun : [...before.dryRun, ...(next.dryRun ?? [])];
  const headerChanges = before.headerChanges ?? next.headerChanges;
  const responseHeaders = before.responseHeaders && { ...before.responseHeaders, ...next.responseHeaders };
  return {
    ...next,
    isCheckCacheHit: before.isCheckCacheHit || next.isCheckCacheHit,
    isQuotaCacheHit: before.isQuotaCacheHit || next.isQuotaCacheHit,
    exhaustedQuotas: [...before.exhaustedQuotas, ...next.exhaustedQuotas],
    ...(failure !== undefined && { failure }),
    ...(receipt !== undefined && { receipt }),
    ...(refund !== undefined && { refund }),
    ...(responseHeaders !== undefined && { responseHeaders }),
    ...(headerChanges !== undefined && { headerChanges }),
    ...(dryRun !== undefined && { dryRun }),
  };
}

function joinResponses(before: CheckResponse, next: CheckResponse): CheckResponse {
  const quotas = new Map(before.quotas);
  for (const [quota, result] of next.quotas) {
    const known = quotas.get(quota);
    quotas.set(quota, known === undefined ? result : smallerGrant(known, result));
  }
  const { precondition } = before;
  if (precondition === undefined || next.precondition === undefined) return { ...next, quotas };
  return { precondition: joinPreconditions(precondition, next.precondition), quotas };
}

/** Two handlers may count one quota: the caller gets what both granted. */
function smallerGrant(one: QuotaResult, other: QuotaResult): QuotaResult {
  return other.grantedAmount < one.grantedAmount ? other : one;
}

/** The status of the later handler, cacheable for as long and as often as both allow. */
function joinPreconditions(before: PreconditionResult, next: PreconditionResult): PreconditionResult {
  const { validDurationMs: _, referencedAttributes: __, ...rest } = next;
  const validMs = Math.min(
    before.validDurationMs ?? Number.POSITIVE_INFINITY,
    next.validDurationMs ?? Number.POSITIVE_INFINITY,
  );
  const isCacheable = before.referencedAttributes !== undefined && next.referencedAttributes !== undefined;
  return {
    ...rest,
    validUseCount: fewerUses(before.validUseCount, next.validUseCount),
    ...(Number.isFinite(validMs) && { validDurationMs: validMs }),
    ...(isCacheable && {
      referencedAttributes: [...(before.referencedAttributes ?? []), ...(next.referencedAttributes ?? [])],
    }),
  };
}

/** A negative number of uses is unlimited. */
function fewerUses(one: number, other: number): number {
  if (one < 0) return other;
  return other < 0 ? one : Math.min(one, other);
}
