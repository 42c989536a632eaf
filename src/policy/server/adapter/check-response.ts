import { rpcCodeNumber } from '../../../base/rpc-code.js';
import type { CheckDecision, CheckFailure } from '../../client/check-flow.js';
import { denialResponse, type PolicyStatus } from '../../client/policy-status.js';
import { FORWARDED_ATTRIBUTES_HEADER, POLICY_UNAVAILABLE_HEADER, RECEIPT_HEADER } from '../../wire/call-metadata.js';
import type { WireStruct } from './envoy-messages.js';

/** envoy.service.auth.v3.CheckResponse, ready to encode: enums are numbers. */
export interface WireCheckResponse {
  readonly status: { readonly code: number; readonly message?: string };
  readonly okResponse?: {
    readonly headersToRemove: readonly string[];
    /** Replace those of the request. */
    readonly headers?: readonly WireHeader[];
  };
  readonly deniedResponse?: WireDeniedResponse;
  readonly dynamicMetadata: WireStruct;
}

interface WireHeader {
  readonly header: { readonly key: string; readonly value: string };
}

interface WireDeniedResponse {
  readonly status: { readonly code: number };
  readonly headers: readonly WireHeader[];
  readonly body: string;
}

/**
 * Header of a refusal by the fail policy of an overloaded policy server, in addition to `POLICY_UNAVAILABLE_HEADER`.
 */
const OVERLOAD_HEADER = 'x-mesh-policy-overloaded';
const HEADERS_TO_REMOVE: readonly string[] = [FORWARDED_ATTRIBUTES_HEADER, RECEIPT_HEADER];
const MIN_RESPONSE_CODE = 200;
const MAX_RESPONSE_CODE = 599;
const MS_PER_SECOND = 1000;

/** Why a fail policy answered. */
export type FailureReason = CheckFailure | 'overloaded';

/** A decision as it leaves the policy client. */
export type AnsweredDecision = Pick<CheckDecision, 'status' | 'routeDirective' | 'retryAfterMs' | 'receipt'> & {
  readonly failure?: FailureReason;
};

/** The side of the proxy that asks. */
export type CheckSide = 'inbound' | 'outbound';

/**
 * The answer to a Check of an HTTP request (docs/reference/policy-client.md#denials). An allowed request reaches
 * the application without the headers between proxies, and leaves a router with the receipt of its charges. A denied one gets the text of its status, and `retry-after` when the wait is
 * known. A refusal by the fail policy has a header with its reason, and `retry-after` of a second.
 */
export function httpCheckResponse(
  decision: AnsweredDecision,
  dynamicMetadata: WireStruct,
  side: CheckSide = 'inbound',
): WireCheckResponse {
  const { status, routeDirective, failure } = decision;
  const retryAfterMs = decision.retryAfterMs ?? (failure === undefined ? undefined : MS_PER_SECOND);
  const denial = denialResponse(status, usableDirective(routeDirective));
  if (denial === undefined) {
    return { status: { code: 0 }, okResponse: passing(decision, side), dynamicMetadata };
  }
  const ownHeaders = Object.entries(routeDirective?.directResponseHeaders ?? {});
  const headers: WireHeader[] = ownHeaders.map(([key, value]) => ({ header: { key, value } }));
  if (!ownHeaders.some(([key]) => key.toLowerCase() === 'content-type')) {
    headers.unshift({ header: { key: 'content-type', value: 'text/plain; charset=utf-8' } });
  }
  if (retryAfterMs !== undefined) {
    headers.push({ header: { key: 'retry-after', value: retryAfterSeconds(retryAfterMs) } });
  }
  if (failure !== undefined) headers.push({ header: { key: POLICY_UNAVAILABLE_HEADER, value: failure } });
  return {
    status: { code: rpcCodeNumber(status.code), message: status.message },
    deniedResponse: { status: { code: denial.httpStatus }, headers, body: denial.body },
    dynamicMetadata,
  };
}

/** An outbound request keeps the headers that its own proxy has set. */
function passing({ receipt }: AnsweredDecision, side: CheckSide): NonNullable<WireCheckResponse['okResponse']> {
  if (side === 'inbound') return { headersToRemove: HEADERS_TO_REMOVE };
  if (receipt === undefined) return { headersToRemove: [] };
  return { headersToRemove: [], headers: [{ header: { key: RECEIPT_HEADER, value: receipt } }] };
}

/** The answer to a Check of a TCP connection. Envoy closes a denied connection. */
export function tcpCheckResponse({ status }: AnsweredDecision, dynamicMetadata: WireStruct): WireCheckResponse {
  return { status: { code: rpcCodeNumber(status.code), message: status.message }, dynamicMetadata };
}

/**
 * The answer to a Check that an overloaded server does not decide. A refused request gets 503 with the reason in a
 * header, and `retry-after` of a second.
 */
export function shedCheckResponse(
  status: PolicyStatus,
  asker: CheckSide | 'tcp',
  metadata: WireStruct,
): WireCheckResponse {
  if (asker === 'tcp') return tcpCheckResponse({ status }, metadata);
  const response = httpCheckResponse({ status, failure: 'overloaded' }, metadata, asker);
  const { deniedResponse } = response;
  if (deniedResponse === undefined) return response;
  const headers = [...deniedResponse.headers, { header: { key: OVERLOAD_HEADER, value: 'true' } }];
  return { ...response, deniedResponse: { ...deniedResponse, headers } };
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
