import type { AnalysisMessage } from '../analysis/analysis-message.js';
import { MESSAGE_CODES, type MessageName } from '../analysis/message-codes.js';
import { listed } from './texts.js';

/** The findings that say that a field, or an item, of an object that is in force has no effect. */
const IDLE: ReadonlySet<string> = new Set(
  (
    [
      'labelsWithoutWorkload',
      'policyInConflict',
      'redundantItem',
      'wrongProtocol',
      'externalService',
      'unknownAttribute',
      'lateAttribute',
      'impossibleCondition',
      'redundantMatch',
      'contradiction',
      'uniqueDimension',
      'chargesNothing',
      'noPatterns',
      'shadowedPattern',
      'generatesNothing',
      'impossiblePattern',
    ] as const satisfies readonly MessageName[]
  ).map((name) => MESSAGE_CODES[name].code),
);

/** The fields that have no effect, each with its reason and remedy; undefined where there are none. */
export function idleFields(messages: readonly AnalysisMessage[]): string | undefined {
  const idle = messages.filter(({ code }) => IDLE.has(code));
  if (idle.length === 0) return undefined;
  const found = idle.map(({ code, field = 'spec', message }) => `${field} (${code}): ${message}`);
  return `without effect: ${listed(found)}`;
}
