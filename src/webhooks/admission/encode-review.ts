import type { AdmissionAnswer } from './admission-answer.js';
import type { ReviewEnvelope } from './decode-review.js';
import { fitWarnings } from './warnings.js';

/** The reply to a review, as JSON text. Its apiVersion, kind and uid are those of the question. */
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
