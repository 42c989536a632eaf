import { parseDuration } from '../../../base/parse-duration.js';
import { rpcCodeOf } from '../../../base/rpc-code.js';
import type { DenierParams } from '../../../config/policy-rules/catalogue/params/denier.js';
import { HTTP_STATUS_CODES } from '../../../config/policy-rules/catalogue/params/http-status-codes.js';
import type { RouteDirective } from '../../client/policy-status.js';
import type { Adapter, AdapterDecision } from './adapter.js';

/** Refuses every request, with the status of its parameters. */
export function buildDenier({ status, validDuration, validUseCount }: DenierParams): Adapter {
  const directive = directiveOf(status.details[0]);
  const decision: AdapterDecision = {
    status: { code: rpcCodeOf(status.code), message: status.message ?? '' },
    validMs: parseDuration(validDuration),
    validUseCount,
    ...(directive && { directive }),
  };
  return {
    check: () => decision,
    quota: () => ({ grantedAmount: 0 }),
    close: async () => undefined,
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
