import { ATTRIBUTE_VOCABULARY } from '../../../../config/attributes/attribute-vocabulary.js';
import { keyOf, type MeshObject } from '../../../../config/object.js';
import type { RuleSpec } from '../../../../config/policy-rules/rule.js';
import { typedParts } from '../../../../expressions/check/typed-parts.js';
import type { TypedNode } from '../../../../expressions/check/typed-tree.js';
import { expressionTrees } from '../../../../model/policy/rules/expression-trees.js';
import { resolveInstance } from '../../../../model/policy/rules/resolve-handler.js';
import { resolveRule } from '../../../../model/policy/rules/resolve-rule.js';
import type { ResolvedInstance } from '../../../../model/policy/rules/resolved-objects.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';

const LATE: ReadonlySet<string> = new Set(
  ATTRIBUTE_VOCABULARY.filter(({ known }) => known === 'report').map(({ name }) => name),
);
const MAX_MESSAGES = 20;

/** Conditions of checks, and fields of their instances, that read what is known only after the request; and idle sampling. */
export const lateAttributes: ObjectAnalyzer = {
  kinds: ['rule', 'instance'],
  find: (object, index) => (object.kind === 'rule' ? ofRule(object, index) : ofInstance(object, index)),
};

function ofRule(object: MeshObject, index: TrafficIndex): readonly AnalysisMessage[] {
  const { rule, problems } = resolveRule(object, index, languageOf(index));
  if (rule === undefined) return [];
  const spec = object.body as RuleSpec;
  const instances = rule.actions.flatMap((action) => action.instances);
  const headers = spec.requestHeaderOperations.length + spec.responseHeaderOperations.length;
  const late =
    headers > 0 || instances.some(isOfCheck) ? lateReads(object, index, 'no request that is checked meets it') : [];
  const reports = instances.some((instance) => varietyOf(instance) === 'report');
  if (spec.sampling === undefined || reports || problems.length > 0) return late;
  const text = 'sampling has no effect: it chooses the requests that are reported, and no action of the rule reports';
  return [...late, createMessage('idleRuleField', { object: keyOf(object), field: 'spec.sampling' }, text)];
}

function ofInstance(object: MeshObject, index: TrafficIndex): readonly AnalysisMessage[] {
  const instance = resolveInstance(object, index);
  if ('unresolved' in instance || !isOfCheck(instance)) return [];
  return lateReads(object, index, 'the fail policy decides about each request');
}

function lateReads(object: MeshObject, index: TrafficIndex, effect: string): readonly AnalysisMessage[] {
  return expressionTrees(object, index, languageOf(index))
    .filter(({ path }) => !path.startsWith('sampling'))
    .flatMap(({ path, tree }) => Array.from(new Set(lateNames(tree)), (name) => [path, name] as const))
    .slice(0, MAX_MESSAGES)
    .map(([path, name]) => {
      const text = `${name} is known only when the request has ended, so ${effect}`;
      return createMessage('lateRuleAttribute', { object: keyOf(object), field: `spec.${path}` }, text);
    });
}

/** The names that need a value: not those before a default. */
function* lateNames(node: TypedNode): Iterable<string> {
  if (node.kind === 'presence') return;
  if (node.kind === 'attribute' && LATE.has(node.name)) yield node.name;
  const parts = node.kind === 'first' ? node.choices.slice(-1) : typedParts(node);
  for (const part of parts) yield* lateNames(part);
}

function isOfCheck(instance: ResolvedInstance): boolean {
  return varietyOf(instance) !== 'report';
}

function varietyOf({ template }: ResolvedInstance): 'check' | 'quota' | 'report' {
  const { variety } = template.type === 'compiled' ? template.template : template.wire;
  return variety === 'report' || variety === 'attributes' ? 'report' : variety === 'quota' ? 'quota' : 'check';
}

function languageOf({ settings }: TrafficIndex) {
  return settings.expressionLanguage ?? 'legacy';
}
