import type { ObjectKey } from '../../../../config/object.js';
import { RULE_KINDS } from '../../../../config/policy-rules/kind-names.js';
import { checkServerOf } from '../../../../model/policy/policy-servers.js';
import { decides, reports } from '../../../../model/policy/rules/ruled-services.js';
import type { AnalysisInput, Analyzer } from '../../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import { whyNoChecks, whyNoReports } from '../unenforced-policies.js';

/**
 * Rules whose checks or reports the settings of the mesh turn off, and all objects of the policy runtime if both are off.
 */
export const findUnenforcedRules: Analyzer = (input) => {
  const { mesh, enforcement, objects } = input;
  const noChecks = whyNoChecks(mesh.policy, enforcement);
  const noReports = whyNoReports(mesh.policy, enforcement);
  if (noChecks === undefined && noReports === undefined) return [];
  const rules = [...(objects.get('rule') ?? [])].flatMap(([object, rule]) => {
    const whyNot = (decides(rule, input) ? noChecks : undefined) ?? (reports(rule, input) ? noReports : undefined);
    return whyNot === undefined ? [] : [notEnforced(object, 'rule', whyNot)];
  });
  if (noChecks === undefined || noReports === undefined) return rules;
  return [...rules, ...RULE_KINDS.filter((kind) => kind !== 'rule').flatMap((kind) => ofKind(input, kind, noChecks))];
};

function ofKind({ objects }: AnalysisInput, kind: string, why: string): readonly AnalysisMessage[] {
  return [...(objects.get(kind)?.keys() ?? [])].map((object) => notEnforced(object, kind, why));
}

function notEnforced(object: ObjectKey, kind: string, why: string): AnalysisMessage {
  return createMessage('policyNotEnforced', { object }, `this ${kind} is not enforced: ${why}`);
}

/** Handlers that the policy server in this process cannot start, and all rules if it asks another policy server. */
export const findIdleRules: Analyzer = ({ objects, mesh, enforcement: { failedHandlers = new Map() } }) => {
  if (checkServerOf(mesh)?.type !== 'embedded') return [];
  if (failedHandlers !== 'decided elsewhere') {
    return [...failedHandlers].map(([object, reason]) => createMessage('handlerNotBuilt', { object }, reason));
  }
  const text = 'the policy server asks the one at backend of its configuration, and applies no rules';
  return RULE_KINDS.flatMap((kind) =>
    [...(objects.get(kind)?.keys() ?? [])].map((object) => createMessage('rulesDecidedElsewhere', { object }, text)),
  );
};
