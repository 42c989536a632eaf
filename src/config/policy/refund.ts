import * as Type from 'typebox';
import { repeatedValues } from '../repeated-values.js';
import type { Violation } from '../violation.js';

const MAX_CODES = 32;

/** Which requests are given back after their response (docs/plans.md#refunds). */
export const refundSchema = Type.Object(
  {
    responseCodes: Type.Array(
      Type.String({
        description: 'A status of HTTP such as 503, or a class of them such as 5xx.',
        minLength: 1,
        maxLength: 3,
        pattern: '^[1-5]([0-9][0-9]|xx)$',
      }),
      {
        description: 'The statuses of responses whose requests do not count.',
        minItems: 1,
        maxItems: MAX_CODES,
      },
    ),
  },
  { additionalProperties: false, description: 'Which requests are given back after their response.' },
);

/** @param path of the refund */
export function refundViolations(
  refund: { readonly responseCodes: readonly string[] } | undefined,
  path: string,
): readonly Violation[] {
  const { responseCodes = [] } = refund ?? {};
  return repeatedValues(responseCodes).map(({ index, first }) => ({
    path: `${path}.responseCodes[${index}]`,
    value: responseCodes[index],
    message: `is the same as responseCodes[${first}]`,
    remedy: 'remove one of them',
  }));
}
