import { keyOf, type MeshObject } from '../../../config/object.js';
import type { RuleSpec } from '../../../config/policy-rules/rule.js';
import type { ExpressionLanguage } from '../../../expressions/expression-types.js';
import { attributesOf, expressionProblems } from './check-expressions.js';
import { outputProblems } from './output-problems.js';
import {
  adapterName,
  type Resolved,
  resolveHandler,
  resolveInstance,
  takesInstance,
  templateName,
} from './resolve-handler.js';
import { resolveReference } from './resolve-reference.js';
import type { ResolvedAction, ResolvedHandler, ResolvedInstance, ResolvedRule } from './resolved-objects.js';
import type { RuleProblem } from './rule-problem.js';
import type { RuleSource } from './rule-source.js';

/** A rule with what it names, and the problems of the parts that are left out. */
export interface RuleResolution {
  /** Undefined if an expression of the rule is wrong, or nothing is left to do. */
  readonly rule: ResolvedRule | undefined;
  readonly problems: readonly RuleProblem[];
}

export function resolveRule(object: MeshObject, source: RuleSource, language: ExpressionLanguage): RuleResolution {
  const spec = object.body as RuleSpec;
  const problems: RuleProblem[] = [...expressionProblems(object, source, language)];
  const isWrong = problems.length > 0;
  const actions = spec.actions.flatMap((action, index): readonly ResolvedAction[] => {
    const path = `actions[${index}]`;
    const handler = handlerOf(object, action.handler, `${path}.handler`, source, problems);
    const instances = action.instances.flatMap((written, at) => {
      const field = `${path}.instances[${at}]`;
      const instance = instanceOf(object, written, field, source, language, problems);
      if (instance === undefined || handler === undefined) return [];
      if (takesInstance(handler, instance)) return instance;
      const names = { adapter: adapterName(handler), template: templateName(instance) };
      problems.push({ type: 'template', field, handler: handler.key, instance: instance.key, ...names });
      return [];
    });
    if (action.instances.length === 0) {
      const text = `the action names no instances, so ${action.handler} is never called`;
      problems.push({ type: 'without effect', field: `${path}.instances`, text });
    }
    if (handler === undefined || instances.length === 0) return [];
    return [{ handler, instances, ...(action.name === undefined ? {} : { name: action.name }) }];
  });
  const headers = spec.requestHeaderOperations.length + spec.responseHeaderOperations.length;
  if (spec.actions.length + headers === 0) {
    problems.push({
      type: 'without effect',
      field: 'actions',
      text: 'the rule has neither actions nor header operations',
    });
  }
  if (isWrong || actions.length + headers === 0) return { rule: undefined, problems };
  const { namespace } = object.metadata;
  const attributes = attributesOf(source, namespace);
  problems.push(...outputProblems(spec, actions, attributes, language));
  const isOfAll = namespace === source.bindingGrants.rootNamespace;
  const rule = {
    key: keyOf(object),
    object,
    spec,
    namespace: isOfAll ? undefined : namespace,
    actions,
    attributes,
  };
  return { rule, problems };
}

function handlerOf(
  rule: MeshObject,
  written: string,
  field: string,
  source: RuleSource,
  problems: RuleProblem[],
): ResolvedHandler | undefined {
  return resolved('handler', rule, written, field, source, problems, (object) => resolveHandler(object, source));
}

function instanceOf(
  rule: MeshObject,
  written: string,
  field: string,
  source: RuleSource,
  language: ExpressionLanguage,
  problems: RuleProblem[],
): ResolvedInstance | undefined {
  return resolved('instance', rule, written, field, source, problems, (object) =>
    expressionProblems(object, source, language).length > 0
      ? { unresolved: 'unknown name' }
      : resolveInstance(object, source),
  );
}

function resolved<Value extends object>(
  kind: 'handler' | 'instance',
  rule: MeshObject,
  written: string,
  field: string,
  source: RuleSource,
  problems: RuleProblem[],
  resolve: (object: MeshObject) => Resolved<Value>,
): Value | undefined {
  const resolution = resolveReference(source, rule, kind, written);
  if (resolution.type !== 'found') {
    problems.push({ type: 'reference', field, resolution });
    return undefined;
  }
  const found = resolve(resolution.object);
  if (!('unresolved' in found)) return found;
  problems.push({ type: 'unusable', field, key: resolution.key });
  return undefined;
}
