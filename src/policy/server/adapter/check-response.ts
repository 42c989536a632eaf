import { rpcCodeNumber } from '../../../base/rpc-code.js';
import type { PolicyStatus } from '../../client/policy-status.js';
import type { RequestVerdict } from '../request-verdict.js';
import type { WireStruct } from './envoy-messages.js';

/** envoy.service.auth.v3.CheckResponse, ready to encode: enums are numbers. */
export interface WireCheckResponse {
  readonly status: { readonly code: number; readonly message?: string };
  readonly okResponse?: {
    readonly headersToRemove: readonly string[];
    /** Replace those of the request. */
    readonly headers?: readonly WireHeader[];
    /** Added to those of the response. */
    readonly responseHeadersToAdd?: readonly WireHeader[];
  };
  readonly deniedResponse?: WireDeniedResponse;
  readonly dynamicMetadata: WireStruct;
}

interface WireHeader {
  readonly header: { readonly key: string; readonly value: string };
  /** Default: the header comes in addition to others of its name. */
  readonly appendAction?: number;
}

/** HeaderValueOption.HeaderAppendAction: OVERWRITE_IF_EXISTS_OR_ADD. */
const OVERWRITE = 2;

interface WireDeniedResponse {
  readonly status: { readonly code: number };
  readonly headers: readonly WireHeader[];
  readonly body: string;
}

/** The answer to a Check of an HTTP request. */
export function httpCheckResponse(
  status: PolicyStatus,
  verdict: RequestVerdict,
  dynamicMetadata: WireStruct,
): WireCheckResponse {
  if (verdict.type === 'pass') {
    const { headersToRemove, headersToSet, responseHeaders, responseHeadersToSet } = verdict;
    const responseHeadersToAdd = [...responseHeaders.map(wireHeader), ...responseHeadersToSet.map(replacingHeader)];
    const okResponse = {
      headersToRemove,
      ...(headersToSet.length > 0 && { headers: headersToSet.map(replacingHeader) }),
      ...(responseHeadersToAdd.length > 0 && { responseHeadersToAdd }),
    };
    return { status: { code: 0 }, okResponse, dynamicMetadata };
  }
  const { httpStatus, headers, body } = verdict;
  return {
    status: { code: rpcCodeNumber(status.code), message: status.message },
    deniedResponse: { status: { code: httpStatus }, headers: headers.map(wireHeader), body },
    dynamicMetadata,
  };
}

/** The answer to a Check of a TCP connection. Envoy closes a denied connection. */
export function tcpCheckResponse({ code, message }: PolicyStatus, dynamicMetadata: WireStruct): WireCheckResponse {
  return { status: { code: rpcCodeNumber(code), message }, dynamicMetadata };
}

function wireHeader([key, value]: readonly [name: string, value: string]): WireHeader {
  return { header: { key, value } };
}

function replacingHeader(header: readonly [name: string, value: string]): WireHeader {
  return { ...wireHeader(header), appendAction: OVERWRITE };
}
