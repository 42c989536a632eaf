import { ANSWER_HEADERS } from '../../wire/call-metadata.js';
import type { CheckMetadata } from './check-metadata.js';
import type { WireStruct } from './envoy-messages.js';
import { textField } from './wire-values.js';

/** Words of the outcome. */
const CHECK_CACHE_HIT = 'check-cache-hit';
const QUOTA_CACHE_HIT = 'quota-cache-hit';
const NO_REPORTS = 'no-reports';
const OVERLOADED = 'overloaded';
const HALF_CHARACTERS = /\p{Surrogate}/gu;
/** Texts that are written as they are, such as hosts. */
const PLAIN_TEXT = /^[\w.-]*$/;

/** The data of a Check for its report, as lines of an HTTP/1.1 answer that Envoy keeps as dynamic metadata. */
export function answerHeaderLines(metadata: CheckMetadata): string {
  const { service, staticAttributes, forwardedAttributes, requestAttributes, refund, decision } = metadata;
  let lines = `${ANSWER_HEADERS.outcome}: ${outcomeText(metadata)}\r\n`;
  if (service) lines += `${ANSWER_HEADERS.service}: ${encodeText(service)}\r\n`;
  if (decision.checkErrorMessage) lines += `${ANSWER_HEADERS.message}: ${encodeText(decision.checkErrorMessage)}\r\n`;
  if (decision.dryRun) lines += `${ANSWER_HEADERS.dryRun}: ${encodeText(decision.dryRun)}\r\n`;
  // The texts of attributes are base64 and commas.
  if (staticAttributes) lines += `${ANSWER_HEADERS.staticAttributes}: ${staticAttributes}\r\n`;
  if (forwardedAttributes) lines += `${ANSWER_HEADERS.forwardedAttributes}: ${forwardedAttributes}\r\n`;
  if (requestAttributes) lines += `${ANSWER_HEADERS.requestAttributes}: ${requestAttributes}\r\n`;
  if (refund) lines += `${ANSWER_HEADERS.refund}: ${refund.ticket} ${refund.codes}\r\n`;
  return lines;
}

/** The data of a Check from dynamic metadata; undefined without such an answer. */
export function readAnswerHeaders(struct: WireStruct | undefined): CheckMetadata | undefined {
  const outcome = textField(struct, ANSWER_HEADERS.outcome);
  if (outcome === undefined) return undefined;
  const [code, ...words] = outcome.split(' ');
  const service = textField(struct, ANSWER_HEADERS.service);
  const message = textField(struct, ANSWER_HEADERS.message);
  const dryRun = textField(struct, ANSWER_HEADERS.dryRun);
  const [ticket = '', ...codes] = textField(struct, ANSWER_HEADERS.refund)?.split(' ') ?? [];
  return {
    service: service && decodeText(service),
    staticAttributes: textField(struct, ANSWER_HEADERS.staticAttributes),
    forwardedAttributes: textField(struct, ANSWER_HEADERS.forwardedAttributes),
    requestAttributes: textField(struct, ANSWER_HEADERS.requestAttributes),
    ...(ticket !== '' && { refund: { ticket, codes: codes.join(' ') } }),
    disableReports: words.includes(NO_REPORTS),
    decision: {
      checkErrorCode: Number(code),
      ...(message !== undefined && { checkErrorMessage: decodeText(message) }),
      ...(dryRun !== undefined && { dryRun: decodeText(dryRun) }),
      isCheckCacheHit: words.includes(CHECK_CACHE_HIT),
      isQuotaCacheHit: words.includes(QUOTA_CACHE_HIT),
    },
  };
}

function outcomeText({ decision, disableReports, isShed }: CheckMetadata): string {
  let text = String(decision.checkErrorCode ?? 0);
  if (decision.isCheckCacheHit) text += ` ${CHECK_CACHE_HIT}`;
  if (decision.isQuotaCacheHit) text += ` ${QUOTA_CACHE_HIT}`;
  if (disableReports) text += ` ${NO_REPORTS}`;
  if (isShed) text += ` ${OVERLOADED}`;
  return text;
}

/** Texts can have any characters, which a header cannot. */
function encodeText(text: string): string {
  if (PLAIN_TEXT.test(text)) return text;
  return encodeURIComponent(text.replace(HALF_CHARACTERS, '\u{fffd}'));
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Only another sender than this server can have written it.
    return text;
  }
}
