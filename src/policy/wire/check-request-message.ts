import type {
  CheckRequest as CheckRequestMessage,
  CheckRequest__Output as CheckRequestOutput,
} from '../../generated/policy/mesh/policy/v1/CheckRequest.js';
import type { CheckRequest, QuotaParams } from '../client/policy-transport.js';
import { createWordReader, createWordWriter, type GlobalWords } from './attribute-words.js';
import { compressAttributes } from './compress-attributes.js';
import { createExpansionBudget, expandAttributes } from './expand-attributes.js';
import { PolicyWireError } from './policy-wire-error.js';

/** As much as a message of the usual 4 MiB could say without repeating a word. */
const MAX_CHECK_CHARACTERS = 4 * 1024 * 1024;
/** A server keeps the ids of what it has charged: a UUID and a counter need not be longer. */
const MAX_DEDUPLICATION_ID_LENGTH = 256;

/** The message for a Check call (BEHAVIOUR 6, "Wire"). */
export function buildCheckRequest(request: CheckRequest, global: GlobalWords): CheckRequestMessage {
  const writer = createWordWriter(global);
  const maps = compressAttributes(request.attributes, writer);
  const quotas = [...request.quotas].map(([name, { amount, bestEffort }]) => [
    name,
    { amount: String(amount), bestEffort },
  ]);
  return {
    attributes: { ...maps, words: [...writer.words] },
    globalWordCount: global.count,
    deduplicationId: request.deduplicationId,
    quotas: Object.fromEntries(quotas),
  };
}

/** @throws PolicyWireError for attributes, amounts and ids that mean nothing */
export function readCheckRequest(message: CheckRequestOutput): CheckRequest {
  const { attributes = {}, globalWordCount = 0, deduplicationId = '', quotas = {} } = message;
  if (deduplicationId.length > MAX_DEDUPLICATION_ID_LENGTH) {
    const problem = `has ${deduplicationId.length} characters: send ${MAX_DEDUPLICATION_ID_LENGTH} at most, the same for all attempts at one call`;
    throw new PolicyWireError('deduplication_id', problem);
  }
  const wordOf = createWordReader(attributes.words ?? [], globalWordCount);
  const budget = createExpansionBudget(MAX_CHECK_CHARACTERS);
  return {
    attributes: expandAttributes(attributes, wordOf, budget, 'attributes'),
    deduplicationId,
    quotas: new Map(Object.entries(quotas).map(([name, params]) => [name, readQuotaParams(params, name)])),
  };
}

function readQuotaParams(
  { amount = '0', bestEffort = false }: { readonly amount?: string; readonly bestEffort?: boolean },
  quota: string,
): QuotaParams {
  const number = Number(amount);
  if (number > 0 && Number.isSafeInteger(number)) return { amount: number, bestEffort };
  const field = `quotas[${JSON.stringify(quota)}].amount`;
  throw new PolicyWireError(field, `is ${amount}: charge 1 to ${Number.MAX_SAFE_INTEGER}`);
}
