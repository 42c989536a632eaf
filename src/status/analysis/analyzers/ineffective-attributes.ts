import { type AttributeFinding, judgeCondition, judgeDimension } from '../../../config/attributes/judge-attribute.js';
import { LIMITS } from '../../../config/policy/limits.js';
import type { QuotaRuleSpec, QuotaSpec } from '../../../config/policy/quota-spec.js';
import { childPath } from '../../../config/violation.js';
import type { AnalysisInput, Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/**
 * Conditions that no request meets, because of their attribute or its value, and dimensions of quotas that no request
 * has when it is checked, so that all callers share one counter.
 */
export const findIneffectiveAttributes: Analyzer = (input) => {
  const messages: AnalysisMessage[] = [];
  for (const [object, { body }] of input.objects.get('QuotaSpec') ?? []) {
    let told = 0;
    for (const { path, finding, effect } of findingsOf(body as QuotaSpec, input)) {
      if (told++ === LIMITS.violations) break;
      messages.push(createMessage(NAMES[finding.type], { object, field: path }, `${finding.text}; ${effect}`));
    }
  }
  return messages;
};

/** In the order of the rules: only the first findings become messages. */
function* findingsOf({ rules }: QuotaSpec, input: AnalysisInput): Iterable<Found> {
  for (const [index, rule] of rules.entries()) {
    const path = `spec.rules[${index}]`;
    yield* ofConditions(rule, path, input);
    yield* ofDimensions(rule, path, input);
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

function* ofConditions({ match }: QuotaRuleSpec, rule: string, { knownAttributes }: AnalysisInput): Iterable<Found> {
  for (const [index, { clause }] of match.entries()) {
    for (const [name, condition] of Object.entries(clause)) {
      const finding = judgeCondition(name, condition, knownAttributes);
      if (finding === undefined) continue;
      const path = childPath(`${rule}.match[${index}].clause`, name);
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
