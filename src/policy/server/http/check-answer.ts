import { CHECK_HEADER_PREFIX, HEADERS_TO_REMOVE_HEADER, SHIFTED_STATUS } from '../../wire/call-metadata.js';
import { answerHeaderLines } from '../adapter/answer-headers.js';
import type { CheckMetadata } from '../adapter/check-metadata.js';
import type { RequestVerdict } from '../request-verdict.js';

/** Headers that belong to the answer itself. */
const OF_THE_ANSWER: ReadonlySet<string> = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);
/** A token (RFC 9110, 5.6.2). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** They would end a line, or the head. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a header cannot have
const CONTROLS = /[\0-\x1f\x7f]/g;
/** Statuses whose responses have no body (RFC 9110, 15.3.5 and 15.4.5). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

/**
 * The answer to a Check over HTTP/1.1. Envoy passes a request on status 200, takes 500 to 599 for errors of the server,
 * and refuses the request with the status, headers and body of any other answer.
 *
 * @param method of the Check: the answer to HEAD has no body
 * @returns one character for each byte
 */
export function checkAnswer(verdict: RequestVerdict, metadata: CheckMetadata, method: string): string {
  const facts = answerHeaderLines(metadata);
  if (verdict.type === 'refuse') return refusal(verdict, facts, method);
  const { headersToRemove, headersToSet, responseHeaders, responseHeadersToSet } = verdict;
  let head = `HTTP/1.1 200 OK\r\ncontent-length: 0\r\n${facts}`;
  if (headersToRemove.length > 0) head += `${HEADERS_TO_REMOVE_HEADER}: ${headersToRemove.join()}\r\n`;
  for (const [name, value] of headersToSet) head += answerHeader(name, value);
  for (const [name, value] of responseHeaders) head += answerHeader(name, value);
  for (const [name, value] of responseHeadersToSet) head += answerHeader(name, value);
  return `${head}\r\n`;
}

type Refusal = Extract<RequestVerdict, { type: 'refuse' }>;

function refusal({ httpStatus, headers, body }: Refusal, facts: string, method: string): string {
  const isShifted = httpStatus === 200 || httpStatus >= 500;
  let head = `HTTP/1.1 ${isShifted ? httpStatus + SHIFTED_STATUS : httpStatus} Refused\r\n${facts}`;
  for (const [name, value] of headers) head += answerHeader(name, value);
  if (WITHOUT_BODY.has(httpStatus)) return `${head}\r\n`;
  const bytes = latin1Of(body);
  return `${head}content-length: ${bytes.length}\r\n\r\n${method === 'HEAD' ? '' : bytes}`;
}

/** Empty for a header that would change the answer itself, or is none. */
function answerHeader(name: string, value: string): string {
  const lowerName = name.toLowerCase();
  if (OF_THE_ANSWER.has(lowerName) || lowerName.startsWith(CHECK_HEADER_PREFIX) || !HEADER_NAME.test(name)) return '';
  return `${name}: ${latin1Of(value.replace(CONTROLS, ' '))}\r\n`;
}

/** The UTF-8 bytes of a text, as a text with a character for each. */
function latin1Of(text: string): string {
  return Buffer.from(text).toString('latin1');
}
