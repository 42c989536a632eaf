import type { CheckDecision, CheckFailure, ResponseHeaders } from '../client/check-flow.js';
import type { Header, HeaderChanges } from '../client/header-changes.js';
import { denialResponse, type PolicyStatus } from '../client/policy-status.js';
import { FORWARDED_ATTRIBUTES_HEADER, POLICY_UNAVAILABLE_HEADER, RECEIPT_HEADER } from '../wire/call-metadata.js';

/** What the proxy does with a request, however the answer is sent. */
export type RequestVerdict = Pass | Refusal;

interface Pass {
  readonly type: 'pass';
  /** Headers that the request loses. */
  readonly headersToRemove: readonly string[];
  /** Headers that replace those of the request. */
  readonly headersToSet: readonly Header[];
  /** Headers that its response gets; over HTTP/1.1 only those of `RESPONSE_HEADERS` and of rules. */
  readonly responseHeaders: readonly Header[];
  /** Headers that replace those of the response. A Check over HTTP/1.1 cannot replace, so that proxies use gRPC then. */
  readonly responseHeadersToSet: readonly Header[];
}

interface Refusal {
  readonly type: 'refuse';
  /** From 200 to 599. */
  readonly httpStatus: number;
  readonly headers: readonly Header[];
  readonly body: string;
}

/** Why a fail policy answered. */
export type FailureReason = CheckFailure | 'overloaded';

/** A decision as it leaves the policy client. */
export type AnsweredDecision = Pick<
  CheckDecision,
  'status' | 'routeDirective' | 'retryAfterMs' | 'receipt' | 'responseHeaders' | 'headerChanges'
> & {
  readonly failure?: FailureReason;
};

/** The side of the proxy that asks. */
export type CheckSide = 'inbound' | 'outbound';

/**
 * Header of a refusal by the fail policy of an overloaded policy server, in addition to `POLICY_UNAVAILABLE_HEADER`.
 */
const OVERLOAD_HEADER = 'x-mesh-policy-overloaded';
const NO_HEADERS: readonly Header[] = [];
const MIN_RESPONSE_CODE = 200;
const MAX_RESPONSE_CODE = 599;
const MS_PER_SECOND = 1000;

/** To an application, a request goes without the headers between proxies. */
const PASS_TO_APPLICATION: Pass = {
  type: 'pass',
  headersToRemove: [FORWARDED_ATTRIBUTES_HEADER, RECEIPT_HEADER],
  headersToSet: NO_HEADERS,
  responseHeaders: NO_HEADERS,
  responseHeadersToSet: NO_HEADERS,
};
/** An outbound request keeps the headers that its own proxy has set. */
const PASS_ON: Pass = { ...PASS_TO_APPLICATION, headersToRemove: [] };

/**
 * The verdict about a request (docs/reference/policy-client.md#denials). An allowed request leaves a router with the
 * receipt of its charges. A denied one gets the text of its status, and `retry-after` when the wait is known. A refusal
 * by the fail policy has a header with its reason, and `retry-after` of a second.
 */
export function verdictOf(decision: AnsweredDecision, side: CheckSide): RequestVerdict {
  const { status, failure, receipt } = decision;
  const routeDirective = usableDirective(decision.routeDirective);
  const denial = denialResponse(status, routeDirective);
  if (denial === undefined) {
    const pass = side === 'inbound' ? PASS_TO_APPLICATION : passOn(receipt);
    const answered =
      decision.responseHeaders === undefined ? pass : { ...pass, responseHeaders: headersOf(decision.responseHeaders) };
    return decision.headerChanges === undefined ? answered : withChanges(answered, decision.headerChanges);
  }
  const headers: Header[] = Object.entries(routeDirective?.directResponseHeaders ?? {});
  if (!headers.some(([name]) => name.toLowerCase() === 'content-type')) {
    headers.unshift(['content-type', 'text/plain; charset=utf-8']);
  }
  const retryAfterMs = decision.retryAfterMs ?? (failure === undefined ? undefined : MS_PER_SECOND);
  if (retryAfterMs !== undefined) headers.push(['retry-after', retryAfterSeconds(retryAfterMs)]);
  headers.push(...headersOf(decision.responseHeaders));
  if (failure !== undefined) headers.push([POLICY_UNAVAILABLE_HEADER, failure]);
  return { type: 'refuse', httpStatus: denial.httpStatus, headers, body: denial.body };
}

function withChanges(pass: Pass, changes: HeaderChanges): Pass {
  const { requestToSet, requestToRemove, responseToSet, responseToAdd } = changes;
  return {
    ...pass,
    headersToRemove: [...pass.headersToRemove, ...requestToRemove],
    headersToSet: [...pass.headersToSet, ...requestToSet],
    responseHeaders: [...pass.responseHeaders, ...responseToAdd],
    responseHeadersToSet: responseToSet,
  };
}

function passOn(receipt: string | undefined): Pass {
  return receipt === undefined ? PASS_ON : { ...PASS_ON, headersToSet: [[RECEIPT_HEADER, receipt]] };
}

function headersOf(headers: ResponseHeaders = {}): readonly Header[] {
  return Object.entries(headers);
}

/**
 * The verdict about a request that an overloaded server does not decide. A refused request gets 503 with the reason in
 * a header, and `retry-after` of a second.
 */
export function shedVerdict(status: PolicyStatus, side: CheckSide): RequestVerdict {
  const verdict = verdictOf({ status, failure: 'overloaded' }, side);
  if (verdict.type === 'pass') return verdict;
  return { ...verdict, headers: [...verdict.headers, [OVERLOAD_HEADER, 'true']] };
}

/** Whole seconds, as the header requires: rounded up, at least 1. */
function retryAfterSeconds(retryAfterMs: number): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / MS_PER_SECOND)));
}

/**
 * Envoy sends any number as a status. A number that is not a final HTTP status would break the connection of the
 * caller.
 */
function usableDirective(directive: CheckDecision['routeDirective']): CheckDecision['routeDirective'] {
  const code = directive?.directResponseCode ?? 0;
  if (directive === undefined || (code >= MIN_RESPONSE_CODE && code <= MAX_RESPONSE_CODE)) return directive;
  return { ...directive, directResponseCode: 0 };
}
