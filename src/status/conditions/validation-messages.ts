import type { AnalysisMessage } from '../analysis/analysis-message.js';
import type { ValidationMessage } from './condition.js';
import { shorten } from './texts.js';

/** As many as the CRDs allow. */
const MAX_MESSAGES = 256;

/**
 * `status.validationMessages` of an object; undefined when there is nothing to say (BEHAVIOUR 8, "Analysis"). Without
 * `documentation_url`: the pages that explain codes have no address of their own.
 */
export function validationMessagesOf(messages: readonly AnalysisMessage[]): readonly ValidationMessage[] | undefined {
  if (messages.length === 0) return undefined;
  return messages.slice(0, MAX_MESSAGES).map(({ code, level, field, message }) => ({
    code,
    level,
    message: shorten(field === undefined ? message : `${field}: ${message}`),
  }));
}
