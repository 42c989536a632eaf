import { keyOf, type MeshObject } from '../../../../config/object.js';
import { COMPILED_ADAPTERS } from '../../../../config/policy-rules/catalogue/compiled-adapters.js';
import { runs } from '../../../../config/policy-rules/catalogue/running-adapters.js';
import type { HandlerSpec } from '../../../../config/policy-rules/handler.js';
import type { RuleSpec } from '../../../../config/policy-rules/rule.js';
import { resolveReference } from '../../../../model/policy/rules/resolve-reference.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';

/** Handlers whose adapter policy servers do not run yet, and the rules that call them. */
export const adaptersNotRun: ObjectAnalyzer = {
  kinds: ['handler', 'rule'],
  find: (object, index) => (object.kind === 'rule' ? ofRule(object, index) : ofHandler(object)),
};

function ofHandler(object: MeshObject): readonly AnalysisMessage[] {
  const why = whyNotRun(object);
  const where = { object: keyOf(object), field: 'spec.compiledAdapter' };
  return why === undefined ? [] : [createMessage('adapterNotRun', where, why)];
}

function ofRule(rule: MeshObject, index: TrafficIndex): readonly AnalysisMessage[] {
  return (rule.body as RuleSpec).actions.flatMap(({ handler }, at) => {
    const resolution = resolveReference(index, rule, 'handler', handler);
    const why = resolution.type === 'found' ? whyNotRun(resolution.object) : undefined;
    const where = { object: keyOf(rule), field: `spec.actions[${at}].handler` };
    return why === undefined ? [] : [createMessage('adapterNotRun', where, `${resolution.key} does nothing: ${why}`)];
  });
}

function whyNotRun({ body }: MeshObject): string | undefined {
  const { compiledAdapter } = body as HandlerSpec;
  const known = COMPILED_ADAPTERS.get(compiledAdapter ?? '');
  // MESH0274 tells of adapters that never have an effect.
  if (known === undefined || known.withoutEffect !== undefined || runs(known.name)) return undefined;
  return `the adapter ${known.name} does not run yet`;
}
