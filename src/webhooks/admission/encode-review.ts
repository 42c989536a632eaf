import type { AdmissionAnswer } from './admission-answer.js';
import type { ReviewEnvelope } from './decode-review.js';

/** The response to a review as JSON text. It repeats apiVersion, kind and uid of the request. */
export function encodeReview({ apiVersion, kind, uid }: ReviewEnvelope, answer: AdmissionAnswer): string {
  const { allowed, patch = [] } = answer;
  const status = statusOf(answer);
  const warnings = fitWarnings(answer.warnings ?? []);
  return JSON.stringify({
    apiVersion,
    kind,
    response: {
      uid,
      allowed,
      ...(status === undefined ? {} : { status }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(allowed && patch.length > 0
        ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
        : {}),
    },
  });
}

function statusOf({ message, code, reason }: AdmissionAnswer): object | undefined {
  if (message === undefined && code === undefined && reason === undefined) return undefined;
  return {
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(code === undefined ? {} : { code }),
  };
}

/** API servers cut longer warnings, and drop those beyond the total. */
const MAX_WARNING_CHARACTERS = 256;
const MAX_TOTAL_CHARACTERS = 4096;
const ELLIPSIS = '…';

/**
 * Warnings as an API server passes them on: lines of at most 256 characters, 4,096 in total, without control
 * characters, because they become HTTP headers. A last line has the number of the warnings that do not fit.
 */
function fitWarnings(warnings: readonly string[]): readonly string[] {
  const fitted = warnings.map(fitLine).filter((line) => line !== '');
  const kept: string[] = [];
  let total = 0;
  for (const [index, line] of fitted.entries()) {
    const leftOff = `${fitted.length - index} more warnings are left off`;
    const room = MAX_TOTAL_CHARACTERS - total - (index === fitted.length - 1 ? 0 : leftOff.length);
    if (line.length > room) return [...kept, leftOff];
    kept.push(line);
    total += line.length;
  }
  return kept;
}

function fitLine(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  if (line.length <= MAX_WARNING_CHARACTERS) return line;
  return `${withoutHalfCharacter(line.slice(0, MAX_WARNING_CHARACTERS - ELLIPSIS.length))}${ELLIPSIS}`;
}

function withoutHalfCharacter(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '');
}
