import { MESSAGE_CODES, type MessageName } from '../analysis/message-codes.js';
import type { JudgedCondition } from './condition.js';
import type { ObjectFacts } from './object-facts.js';
import { REASONS } from './reasons.js';
import { joinSentences, listed } from './texts.js';

/** Reasons for the codes of messages about broken references. */
const REASON_OF_CODE: ReadonlyMap<string, string> = new Map(
  (
    [
      ['missingReference', REASONS.specNotFound],
      ['missingService', REASONS.serviceNotFound],
      ['bindingNotGranted', REASONS.notGranted],
      ['ruleReferenceNotGranted', REASONS.notGranted],
      ['confinedEntry', REASONS.notGranted],
      ['unusableServicePattern', REASONS.unusablePattern],
      ['unlimitedQuota', REASONS.quotaNotLimited],
      ['unusableKeys', REASONS.keysNotUsable],
    ] as const satisfies readonly (readonly [MessageName, string])[]
  ).map(([name, reason]) => [MESSAGE_CODES[name].code, reason]),
);

/** The condition `ResolvedRefs`: whether all specs, services and quotas that an object names exist. */
export function resolvedRefsOf(
  { isAnalyzed, messages }: Pick<ObjectFacts, 'isAnalyzed' | 'messages'>,
  accepted: JudgedCondition,
): JudgedCondition {
  const type = 'ResolvedRefs';
  if (accepted.status !== 'True') {
    return { type, status: 'Unknown', reason: REASONS.notAccepted, message: 'It is not accepted.' };
  }
  if (!isAnalyzed) {
    const message = 'References are not checked: NAV_ENABLE_ANALYSIS is false.';
    return { type, status: 'Unknown', reason: REASONS.notAnalyzed, message };
  }
  const broken = messages.filter(({ code }) => REASON_OF_CODE.has(code));
  const reason = REASON_OF_CODE.get(broken[0]?.code ?? '');
  if (reason === undefined) {
    return { type, status: 'True', reason: REASONS.resolved, message: 'All references exist.' };
  }
  const found = broken.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  return { type, status: 'False', reason, message: joinSentences(listed(found)) };
}
