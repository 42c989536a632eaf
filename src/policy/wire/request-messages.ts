import protobuf from 'protobufjs';
import type {
  CheckRequest as CheckRequestMessage,
  CheckRequest__Output as CheckRequestOutput,
} from '../../generated/policy/mesh/policy/v1/CheckRequest.js';
import type {
  ReportRequest as ReportRequestMessage,
  ReportRequest__Output as ReportRequestOutput,
} from '../../generated/policy/mesh/policy/v1/ReportRequest.js';
import type { CheckRequest, QuotaParams, ReportRequest } from '../client/policy-transport.js';
import { createWordReader, createWordWriter, type GlobalWords } from './attribute-words.js';
import { compressAttributes, createExpansionBudget, expandAttributes } from './compressed-attributes.js';
import { PolicyWireError } from './policy-wire-error.js';

/** The most characters of a message of 4 MiB, the usual limit, without repeated words. */
const MAX_CHECK_CHARACTERS = 4 * 1024 * 1024;
/** A server stores the ids of its charges. A UUID and a counter are shorter. */
const MAX_DEDUPLICATION_ID_LENGTH = 256;

/** The message for a Check call (docs/reference/policy-client.md#wire-protocol). */
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

/** @throws PolicyWireError for invalid attributes, amounts and ids */
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

/** Reports of a batch share words, so that they may have many times the characters of their message. */
const MAX_REPORT_CHARACTERS = 128 * 1024 * 1024;
/** Empty reports take two bytes: a message of some megabytes could occupy a server for seconds. */
const MAX_REPORTS = 10_000;
/** Field number of `attributes`. */
const REPORTS_FIELD = 1;

/** The message for a batch of reports: all share one dictionary (docs/reference/policy-client.md#report-batches). */
export function buildReportRequest({ attributes }: ReportRequest, global: GlobalWords): ReportRequestMessage {
  const writer = createWordWriter(global);
  const messages = attributes.map((bag) => compressAttributes(bag, writer));
  return { attributes: messages, defaultWords: [...writer.words], globalWordCount: global.count };
}

/**
 * Counts the reports before reading any.
 *
 * @throws PolicyWireError for too many; RangeError for an invalid message
 */
export function checkReportCount(bytes: Uint8Array): void {
  const reader = protobuf.Reader.create(bytes);
  let count = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === REPORTS_FIELD) count++;
    reader.skipType(tag & 7);
  }
  if (count <= MAX_REPORTS) return;
  throw new PolicyWireError('ReportRequest', `has ${count} reports: send at most ${MAX_REPORTS} at once`);
}

/** @throws PolicyWireError for invalid attributes, which reject the whole batch */
export function readReportRequest(message: ReportRequestOutput): ReportRequest {
  const { attributes = [], defaultWords = [], globalWordCount = 0 } = message;
  const ofDefaults = createWordReader(defaultWords, globalWordCount);
  const budget = createExpansionBudget(MAX_REPORT_CHARACTERS);
  return {
    attributes: attributes.map((compressed, index) => {
      const { words = [] } = compressed;
      const wordOf = words.length === 0 ? ofDefaults : createWordReader(words, globalWordCount);
      return expandAttributes(compressed, wordOf, budget, `attributes[${index}]`);
    }),
  };
}
