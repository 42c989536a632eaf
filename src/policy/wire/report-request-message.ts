import protobuf from 'protobufjs';
import type {
  ReportRequest as ReportRequestMessage,
  ReportRequest__Output as ReportRequestOutput,
} from '../../generated/policy/mesh/policy/v1/ReportRequest.js';
import type { ReportRequest } from '../client/policy-transport.js';
import { createWordReader, createWordWriter, type GlobalWords } from './attribute-words.js';
import { compressAttributes } from './compress-attributes.js';
import { createExpansionBudget, expandAttributes } from './expand-attributes.js';
import { PolicyWireError } from './policy-wire-error.js';

/** Reports of a batch share words, so that they may have many times the characters of their message. */
const MAX_REPORT_CHARACTERS = 128 * 1024 * 1024;
/** Empty reports take two bytes: a message of some megabytes would keep a server busy for seconds. */
const MAX_REPORTS = 10_000;
/** Field number of `attributes`. */
const REPORTS_FIELD = 1;

/** The message for a batch of reports: all share one dictionary (BEHAVIOUR 6, "Report batch"). */
export function buildReportRequest({ attributes }: ReportRequest, global: GlobalWords): ReportRequestMessage {
  const writer = createWordWriter(global);
  const messages = attributes.map((bag) => compressAttributes(bag, writer));
  return { attributes: messages, defaultWords: [...writer.words], globalWordCount: global.count };
}

/**
 * Looks how many reports there are before any is read.
 *
 * @throws PolicyWireError for too many; RangeError for bytes that are no message
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

/** @throws PolicyWireError for attributes that mean nothing; the batch is taken as a whole or not at all */
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
