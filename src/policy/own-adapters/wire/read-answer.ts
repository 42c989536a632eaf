import type { TemplateWire } from '../../../config/policy-rules/descriptors/template-wire.js';
import { wireFields, wireText } from '../../../config/policy-rules/descriptors/wire-fields.js';
import type { AttributeValue } from '../../client/attribute-value.js';
import { OK_STATUS } from '../../client/policy-status.js';
import type { AdapterDecision, QuotaGrant } from '../../rules/adapters/adapter.js';
import { readLong } from './read-long.js';
import { readOutput } from './read-output.js';
import { type AdapterStatus, readStatus } from './read-status.js';

const MILLISECONDS = 1000;
const NANOSECONDS_PER_MILLISECOND = 1e6;
/** The longest that a caller may reuse an answer. */
const MAX_VALID_MS = 24 * 3_600_000;

/**
 * Reads the answer to a check: a CheckResult, or the message of a template with output.
 *
 * @throws Error for bytes that are no message
 */
export function readCheckAnswer({ output }: TemplateWire, answer: Uint8Array): AdapterDecision {
  if (output === undefined) return readCheckResult(answer);
  let result: Uint8Array = new Uint8Array();
  let values: ReadonlyMap<string, AttributeValue> = new Map();
  for (const field of wireFields(answer)) {
    if (field.type !== 'bytes') continue;
    if (field.number === output.result) result = field.value;
    else if (field.number === output.output) values = readOutput(output.fields, field.value);
  }
  return { ...readCheckResult(result), output: values };
}

function readCheckResult(bytes: Uint8Array): AdapterDecision {
  let status: AdapterStatus = { status: OK_STATUS };
  let validMs = 0;
  let validUseCount = 0;
  for (const field of wireFields(bytes)) {
    if (field.type === 'varint') {
      if (field.number === 3) validUseCount = field.value;
    } else if (field.number === 1) status = readStatus(field.value);
    else if (field.number === 2) validMs = readDurationMs(field.value);
  }
  return { ...status, ...(validMs > 0 && { validMs: Math.min(validMs, MAX_VALID_MS), validUseCount }) };
}

/**
 * Reads the answer to a quota call, for one instance.
 *
 * @throws Error for bytes that are no message, and for an answer without the instance
 */
export function readQuotaAnswer(answer: Uint8Array, name: string): QuotaGrant {
  for (const field of wireFields(answer)) {
    if (field.number !== 1 || field.type !== 'bytes') continue;
    let key = '';
    let result: Uint8Array = new Uint8Array();
    for (const entry of wireFields(field.value)) {
      if (entry.type !== 'bytes') continue;
      if (entry.number === 1) key = wireText(entry.value);
      else if (entry.number === 2) result = entry.value;
    }
    if (key === name) return readQuotaResult(result);
  }
  throw new Error(`the adapter answered without the quota ${name}`);
}

function readQuotaResult(bytes: Uint8Array): QuotaGrant {
  let validMs = 0;
  for (const field of wireFields(bytes)) {
    if (field.number === 2 && field.type === 'bytes') validMs = Math.min(readDurationMs(field.value), MAX_VALID_MS);
  }
  const amount = readLong(bytes, 3);
  // A grant is never below nothing, nor more than numbers are exact for.
  const grantedAmount = Number(amount < 0n ? 0n : amount > MAX_AMOUNT ? MAX_AMOUNT : amount);
  return { grantedAmount, ...(validMs > 0 && { validDurationMs: validMs }) };
}

const MAX_AMOUNT = BigInt(Number.MAX_SAFE_INTEGER);

function readDurationMs(bytes: Uint8Array): number {
  const nanos = Number(BigInt.asIntN(32, readLong(bytes, 2)));
  return Number(readLong(bytes, 1)) * MILLISECONDS + nanos / NANOSECONDS_PER_MILLISECOND;
}
