import { rpcCodeNumber, rpcCodeOf } from '../../base/rpc-code.js';
import type { Duration__Output } from '../../generated/policy/google/protobuf/Duration.js';
import type {
  CheckResponse as CheckResponseMessage,
  CheckResponse__Output as CheckResponseOutput,
  _mesh_policy_v1_CheckResponse_PreconditionResult as PreconditionMessage,
  _mesh_policy_v1_CheckResponse_PreconditionResult__Output as PreconditionOutput,
  _mesh_policy_v1_CheckResponse_QuotaResult as QuotaResultMessage,
  _mesh_policy_v1_CheckResponse_QuotaResult__Output as QuotaResultOutput,
} from '../../generated/policy/mesh/policy/v1/CheckResponse.js';
import type { ReferencedAttributes__Output as ReferencedOutput } from '../../generated/policy/mesh/policy/v1/ReferencedAttributes.js';
import type { Status__Output as StatusOutput } from '../../generated/policy/mesh/policy/v1/Status.js';
import type { PolicyStatus } from '../client/policy-status.js';
import type { CheckResponse, PreconditionResult, QuotaResult } from '../client/policy-transport.js';
import type { ReferencedAttributes } from '../client/referenced-attributes.js';
import { millisecondsMessage, readMilliseconds } from './wire-time.js';

/** Numbers of ReferencedAttributes.Condition. */
const CONDITION_NUMBERS = { ABSENCE: 1, EXACT: 2, REGEX: 3 } as const;
const MAX_INT32 = 2 ** 31 - 1;

/** The message for the answer to a Check call (docs/reference/policy-client.md#wire-protocol). */
export function buildCheckResponse({ precondition, quotas }: CheckResponse): CheckResponseMessage {
  const results = [...quotas].map(([name, result]) => [name, buildQuotaResult(result)]);
  return {
    ...(precondition && { precondition: buildPrecondition(precondition) }),
    quotas: Object.fromEntries(results),
  };
}

/** @throws PolicyWireError for an invalid duration */
export function readCheckResponse({ precondition, quotas = {} }: CheckResponseOutput): CheckResponse {
  return {
    ...(precondition && { precondition: readPrecondition(precondition) }),
    quotas: new Map(
      Object.entries(quotas).map(([name, result]) => [
        name,
        readQuotaResult(result, `quotas[${JSON.stringify(name)}]`),
      ]),
    ),
  };
}

function buildPrecondition(result: PreconditionResult): PreconditionMessage {
  const { status, validDurationMs, validUseCount, referencedAttributes, routeDirective } = result;
  return {
    status: buildStatus(status),
    ...buildDuration('validDuration', validDurationMs),
    validUseCount: Math.trunc(Math.min(Math.max(validUseCount, -1), MAX_INT32)),
    ...(referencedAttributes && { referencedAttributes: buildReferenced(referencedAttributes) }),
    ...(routeDirective && { routeDirective: { ...routeDirective } }),
  };
}

function readPrecondition(message: PreconditionOutput): PreconditionResult {
  const { status, validDuration, validUseCount = 0, referencedAttributes, routeDirective } = message;
  return {
    status: readStatus(status),
    ...(validDuration && {
      validDurationMs: readMilliseconds(validDuration, 'precondition.valid_duration'),
    }),
    validUseCount,
    ...(referencedAttributes && { referencedAttributes: readReferenced(referencedAttributes) }),
    ...(routeDirective && { routeDirective }),
  };
}

function buildQuotaResult(result: QuotaResult): QuotaResultMessage {
  const { grantedAmount, validDurationMs, status, referencedAttributes, retryAfterMs } = result;
  return {
    grantedAmount: String(Math.trunc(clamp(grantedAmount))),
    ...buildDuration('validDuration', validDurationMs),
    ...(status && { status: buildStatus(status) }),
    ...(referencedAttributes && { referencedAttributes: buildReferenced(referencedAttributes) }),
    ...buildDuration('retryAfter', retryAfterMs),
  };
}

function readQuotaResult(message: QuotaResultOutput, field: string): QuotaResult {
  const { grantedAmount = '0', validDuration, status, referencedAttributes, retryAfter } = message;
  return {
    grantedAmount: clamp(Number(grantedAmount)),
    ...(validDuration && { validDurationMs: readMilliseconds(validDuration, `${field}.valid_duration`) }),
    ...(status && { status: readStatus(status) }),
    ...(referencedAttributes && { referencedAttributes: readReferenced(referencedAttributes) }),
    ...(retryAfter && { retryAfterMs: readMilliseconds(retryAfter, `${field}.retry_after`) }),
  };
}

/** A missing duration means without end. */
function buildDuration<Name extends string>(
  name: Name,
  milliseconds: number | undefined,
): { [N in Name]?: Duration__Output } {
  const isLimited = milliseconds !== undefined && Number.isFinite(milliseconds);
  return isLimited ? ({ [name]: millisecondsMessage(milliseconds) } as { [N in Name]?: Duration__Output }) : {};
}

function buildStatus({ code, message }: PolicyStatus): { readonly code: number; readonly message: string } {
  return { code: rpcCodeNumber(code), message };
}

/** A missing status is OK, as everywhere in gRPC. */
function readStatus({ code = 0, message = '' }: StatusOutput = {}): PolicyStatus {
  return { code: rpcCodeOf(code), message };
}

function buildReferenced(referenced: ReferencedAttributes) {
  return {
    attributeMatches: referenced.map(({ name, mapKey, condition }) => ({
      name,
      ...(mapKey === undefined ? {} : { mapKey }),
      condition: CONDITION_NUMBERS[condition],
    })),
  };
}

/** An unknown condition becomes REGEX, which prevents caching of the answer. */
function readReferenced({ attributeMatches = [] }: ReferencedOutput): ReferencedAttributes {
  return attributeMatches.map(({ name = '', mapKey, condition }) => ({
    name,
    ...(mapKey === undefined ? {} : { mapKey }),
    condition: condition === 'ABSENCE' || condition === 'EXACT' ? condition : 'REGEX',
  }));
}

/** Grants above 2^53 become 2^53 - 1, so that never more is used than was granted. */
function clamp(amount: number): number {
  return Math.min(Math.max(amount, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
