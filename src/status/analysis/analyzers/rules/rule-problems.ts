import { keyOf, type MeshObject } from '../../../../config/object.js';
import { olderReferenceRemedy } from '../../../../config/policy-rules/older-kinds.js';
import type { Violation } from '../../../../config/violation.js';
import { grantCommand } from '../../../../model/policy/binding-grants.js';
import { expressionProblems } from '../../../../model/policy/rules/check-expressions.js';
import { missingTemplates } from '../../../../model/policy/rules/resolve-adapter.js';
import { resolveHandler, resolveInstance } from '../../../../model/policy/rules/resolve-handler.js';
import { type Resolution, resolveReference } from '../../../../model/policy/rules/resolve-reference.js';
import { resolveRule } from '../../../../model/policy/rules/resolve-rule.js';
import { misfitProblem, type RuleProblem } from '../../../../model/policy/rules/rule-problem.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';

/** Names that rules cannot resolve, templates that an adapter does not take, expressions and actions without a meaning. */
export const ruleProblems: ObjectAnalyzer = {
  kinds: ['rule', 'handler', 'instance', 'adapter'],
  find: (object, index) => problemsOf(object, index).map((problem) => messageOf(object, problem, index)),
};

function problemsOf(object: MeshObject, index: TrafficIndex): readonly RuleProblem[] {
  const language = index.settings.expressionLanguage ?? 'legacy';
  switch (object.kind) {
    case 'rule':
      return resolveRule(object, index, language).problems;
    case 'handler':
      return [...ownReference('adapter', resolveHandler(object, index)), ...instanceNames(object, index)];
    case 'instance':
      return [
        ...ownReference('template', resolveInstance(object, index)),
        ...expressionProblems(object, index, language),
      ];
    default:
      return missingTemplates(object, index).map(({ index: at, resolution }) => ({
        type: 'reference',
        field: `templates[${at}]`,
        resolution,
      }));
  }
}

function reference(field: string, resolution: Resolution): readonly RuleProblem[] {
  return resolution.type === 'found' ? [] : [{ type: 'reference', field, resolution }];
}

function ownReference(
  field: string,
  resolved: ReturnType<typeof resolveHandler | typeof resolveInstance>,
): readonly RuleProblem[] {
  if (!('unresolved' in resolved) || resolved.unresolved === 'unknown name') return [];
  if (isMisfit(resolved.unresolved)) return resolved.unresolved.map(misfitProblem);
  return [{ type: 'reference', field, resolution: resolved.unresolved }];
}

function isMisfit(unresolved: object): unresolved is readonly Violation[] {
  return Array.isArray(unresolved);
}

/** The instances that parameters name: quotas and metrics. */
function instanceNames(object: MeshObject, index: TrafficIndex): readonly RuleProblem[] {
  const handler = resolveHandler(object, index);
  if ('unresolved' in handler || handler.adapter.type !== 'compiled') return [];
  const names = handler.adapter.adapter.instanceNames?.(handler.spec.params) ?? [];
  return names.flatMap(({ path, reference: written }) =>
    reference(`params.${path}`, resolveReference(index, object, 'instance', written)),
  );
}

function messageOf(object: MeshObject, problem: RuleProblem, { bindingGrants }: TrafficIndex): AnalysisMessage {
  const where = { object: keyOf(object), field: `spec.${problem.field}` };
  switch (problem.type) {
    case 'reference': {
      const { resolution } = problem;
      const [kind = '', namespace = '', name = ''] = resolution.key.split('/');
      const older = olderReferenceRemedy(kind, { namespace, name });
      if (older !== undefined)
        return createMessage('missingReference', where, `there is no ${resolution.key}; ${older}`);
      if (resolution.type === 'missing')
        return createMessage('missingReference', where, `there is no ${resolution.key}`);
      const { namespace: own } = object.metadata;
      const command = grantCommand(bindingGrants, resolution.namespace, own);
      const text = `namespace ${resolution.namespace} grants no access to objects of ${own}: run ${command}`;
      return createMessage('ruleReferenceNotGranted', where, text);
    }
    case 'template': {
      const text = `${problem.adapter}, the adapter of ${problem.handler}, does not take ${problem.instance} of the template ${problem.template}`;
      return createMessage('unsupportedTemplate', where, text);
    }
    case 'expression':
      return createMessage('invalidExpression', where, problem.text);
    case 'misfit':
      return createMessage('misfittingParameters', where, problem.text);
    case 'unusable':
      return createMessage('unusableRuleObject', where, `${problem.key} cannot be used because of its own messages`);
    case 'without effect':
      return createMessage('ruleWithoutEffect', where, problem.text);
  }
}
