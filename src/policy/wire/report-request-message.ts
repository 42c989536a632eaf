import type {
  ReportRequest as ReportRequestMessage,
  ReportRequest__Output as ReportRequestOutput,
} from '../../generated/policy/mesh/policy/v1/ReportRequest.js';
import type { ReportRequest } from '../client/policy-transport.js';
import { createWordReader, createWordWriter, type GlobalWords } from './attribute-words.js';
import { compressAttributes } from './compress-attributes.js';
import { createExpansionBudget, expandAttributes } from './expand-attributes.js';

/** Reports of a batch share words, so that they may have many times the characters of their message. */
const MAX_REPORT_CHARACTERS = 128 * 1024 * 1024;

/** The message for a batch of reports: all share one dictionary (BEHAVIOUR 6, "Report batch"). */
export function buildReportRequest({ attributes }: ReportRequest, global: GlobalWords): ReportRequestMessage {
  const writer = createWordWriter(global);
  const messages = attributes.map((bag) => compressAttributes(bag, writer));
  return { attributes: messages, defaultWords: [...writer.words], globalWordCount: global.count };
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
