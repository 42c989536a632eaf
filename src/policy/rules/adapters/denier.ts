import { parseDuration } from '../../../base/parse-duration.js';
import { rpcCodeOf } from '../../../base/rpc-code.js';
import type { DenierParams } from '../../../config/policy-rules/catalogue/params/denier.js';
import { HTTP_STATUS_CODES } from '../../../config/policy-rules/catalogue/params/http-status-codes.js';
import type { RouteDirective } from '../../client/policy-status.js';
import type { Adapter, AdapterDecision } from './adapter.js';

/** Refuses every request, with the status of its parameters. */
export function buildDenier(params: DenierParams): Adapter {
  const decision = denierDecision(params);
  return {
    check: () => decision,
    quota: () => ({ grantedAmount: 0 }),
    close: async () => undefined,
  };
}

/** The decision about each request. */
export function denierDecision({ status, validDuration, validUseCount }: DenierParams): AdapterDecision {
  const directive = directiveOf(status.details[0]);
  return {
    status: { code: rpcCodeOf(status.code), message: status.message ?? '' },
    validMs: parseDuration(validDuration),
    validUseCount,
    ...(directive && { directive }),
  };
}

function directiveOf(response: DenierParams['status']['details'][number] | undefined): RouteDirective | undefined {
  if (response === undefined) return undefined;
  const { code, body = '', headers } = response;
  return {
    directResponseCode: HTTP_STATUS_CODES[code] ?? 0,
    directResponseBody: body,
    directResponseHeaders: headers,
  };
}
