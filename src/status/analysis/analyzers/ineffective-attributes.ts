import { type AttributeFinding, judgeCondition, judgeDimension } from '../../../config/attributes/judge-attribute.js';
import { LIMITS } from '../../../config/policy/limits.js';
import type { QuotaRuleSpec, QuotaSpec } from '../../../config/policy/quota-spec.js';
import { childPath } from '../../../config/violation.js';
import type { AnalysisInput, Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { type ConditionList, withConditions } from '../condition-lists.js';

/**
 * Conditions that no request meets, because of their attribute or its value, and dimensions of quotas that no request
 * has when it is checked, so that all callers share one counter.
 */
export const findIneffectiveAttributes: Analyzer = (input) => {
  const messages: AnalysisMessage[] = [];
  for (const [object, lists, { kind, body }] of withConditions(input)) {
    let told = 0;
    const rules = kind === 'QuotaSpec' ? (body as QuotaSpec).rules : [];
    for (const { path, finding, effect } of findingsOf(lists, rules, input)) {
      if (told++ === LIMITS.violations) break;
      messages.push(createMessage(NAMES[finding.type], { object, field: path }, `${finding.text}; ${effect}`));
    }
  }
  return messages;
};

/** In the order of the object: only the first findings become messages. @param rules of the lists; plans have none */
function* findingsOf(
  lists: readonly ConditionList[],
  rules: readonly QuotaRuleSpec[],
  input: AnalysisInput,
): Iterable<Found> {
  for (const [index, list] of lists.entries()) {
    yield* ofConditions(list, input);
    const rule = rules[index];
    if (rule !== undefined) yield* ofDimensions(rule, list.path, input);
  }
}

const NAMES = {
  unknown: 'unknownAttribute',
  late: 'lateAttribute',
  impossible: 'impossibleCondition',
  unique: 'uniqueDimension',
} as const;

interface Found {
  readonly path: string;
  readonly finding: AttributeFinding;
  readonly effect: string;
}

function* ofConditions({ match, path: owner }: ConditionList, { knownAttributes }: AnalysisInput): Iterable<Found> {
  for (const [index, { clause }] of match.entries()) {
    for (const [name, condition] of Object.entries(clause)) {
      const finding = judgeCondition(name, condition, knownAttributes);
      if (finding === undefined) continue;
      const path = childPath(`${owner}.match[${index}].clause`, name);
      yield { path, finding, effect: 'no request meets the condition' };
    }
  }
}

function* ofDimensions(
  { quotas }: QuotaRuleSpec,
  rule: string,
  { enforcement: { quotaDimensions }, knownAttributes }: AnalysisInput,
): Iterable<Found> {
  for (const [index, { quota }] of quotas.entries()) {
    for (const dimension of quotaDimensions?.get(quota ?? '') ?? []) {
      const finding = judgeDimension(dimension, knownAttributes);
      if (finding === undefined) continue;
      const counts =
        finding.type === 'unique' ? 'so every counter has one charge' : 'which does not distinguish callers';
      const effect = `quota ${quota} has it as a dimension in the file of --policyConfig, ${counts}`;
      yield { path: `${rule}.quotas[${index}].quota`, finding, effect };
    }
  }
}
